import { rm } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder, root } from '../tools/paths.mjs';

/** Where finished packages lie. */
export const releaseFolder = path.join(root, 'release');

/** The name of the app's program; `headroom` is the command, which calls it as Node. */
const programName = 'headroom-app';

/**
 * The configuration of electron-builder (https://www.electron.build/configuration).
 *
 * @param {import('../electron/find.mjs').ElectronRuntime} runtime
 * @param {string} output the folder for the packages
 * @returns {import('electron-builder').Configuration}
 */
export function builderConfiguration(runtime, output) {
  return {
    appId: 'dev.headroom.app',
    productName: 'Headroom',
    copyright: 'The Headroom developers, MIT license',
    directories: { output, buildResources: 'build/package' },
    // Everything is bundled in dist/, so no node_modules go along.
    files: ['package.json', 'LICENSE', 'dist/**/*'],
    asar: true,
    npmRebuild: false,
    electronVersion: runtime.version,
    electronDist: runtime.folder,
    electronLanguages: ['en-US', 'zh-CN'],
    electronFuses: fuses(runtime),
    afterPack: ({ appOutDir }) => removeDevelopmentFiles(appOutDir),
    publish: null, // Nothing is sent anywhere, and no update is looked for.
    artifactName: 'headroom-${version}-${os}-${arch}.${ext}',
    linux: {
      executableName: programName,
      syncDesktopName: true,
      icon: 'build/icons',
      category: 'Development;Science;',
      synopsis: 'Memory of NVIDIA cards: see it, plan it, free it',
      maintainer: 'The Headroom developers <headroom@localhost>',
      vendor: 'The Headroom developers',
      desktop: { entry: { Keywords: 'GPU;CUDA;NVIDIA;memory;training;', StartupNotify: 'true' } },
      extraFiles: [{ from: 'build/package/headroom', to: 'headroom' }],
    },
    deb: { ...linuxScripts, packageCategory: 'science', recommends: ['libayatana-appindicator3-1'] },
    rpm: linuxScripts,
    win: {
      icon: 'build/icons/icon.ico',
      target: 'nsis',
      extraFiles: [{ from: 'build/package/headroom.cmd', to: 'headroom.cmd' }],
    },
    nsis: { oneClick: false, perMachine: false, allowToChangeInstallationDirectory: true },
  };
}

/**
 * Of an Electron that was unpacked before, electron-builder takes all: also the part that starts any folder as an app,
 * which the stand-in was given for development.
 *
 * @param {string} folder
 */
async function removeDevelopmentFiles(folder) {
  for (const name of ['resources/default_app.asar', 'version'])
    await rm(path.join(folder, name), { force: true });
}

/** Put `headroom` on the PATH, and take it away. */
const linuxScripts = {
  afterInstall: 'build/package/afterInstall.tpl',
  afterRemove: 'build/package/afterRemove.tpl',
};

/**
 * What the program can still be talked into (https://www.electronjs.org/docs/latest/tutorial/fuses). Running as Node
 * stays, because the `headroom` command and the simulated nvidia-smi are the app's own program as Node: without a
 * screen Electron itself cannot start.
 *
 * @param {import('../electron/find.mjs').ElectronRuntime} runtime
 * @returns {NonNullable<import('electron-builder').Configuration['electronFuses']>}
 */
function fuses({ isStandIn }) {
  return {
    runAsNode: true,
    enableCookieEncryption: true,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    onlyLoadAppFromAsar: true,
    // The stand-in is older than these two.
    ...(isStandIn
      ? {}
      : { enableEmbeddedAsarIntegrityValidation: true, grantFileProtocolExtraPrivileges: false }),
  };
}

/** Where packages of the stand-in go: they are for tests, and must not lie where releases do. */
export const testPackageFolder = path.join(cacheFolder, 'test-package');
