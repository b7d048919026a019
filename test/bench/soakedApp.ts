import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { _electron, type CDPSession } from 'playwright-core';
import { temporaryCopy } from '../../build/electron/copies.mjs';
import { environmentOf } from '../../build/electron/environment.mjs';
import { root } from '../../build/tools/paths.mjs';
import { defaultSettings } from '../../shared/contract/defaultSettings';
import { endGroup } from '../e2e/harness/endGroup';
import type { BenchContext } from './bench';
import { commandLine, descendants, pssBytes } from './processMemory';

/** Longer than any collection of a heap this small takes. */
const collectMs = 5_000;

/** What an app holds at one moment. */
export interface SoakReading {
  readonly mainHeapBytes: number;
  readonly pageHeapBytes: number;
  readonly samplerBytes: number;
  /** Of the sampler right after all its garbage was collected; null for a reading that asked for no collection. */
  readonly collected: { readonly heapBytes: number; readonly samplerBytes: number } | null;
  readonly children: number;
  readonly openFiles: number;
  readonly handles: number;
  readonly listeners: number;
  readonly pageListeners: number;
  readonly elements: number;
}

export interface SoakedApp {
  readonly pid: number;
  readonly logFile: string;
  complaints(): readonly string[];
  /** What is held now; `collect` first lets the sampler collect its garbage, which changes how it goes on. */
  read(collect: boolean): Promise<SoakReading>;
  close(): Promise<void>;
}

/** Starts the app on a scene at speed, with a way to ask main and page what they hold. */
export async function openSoak(
  { launcher, appFolder }: BenchContext,
  scene: string,
  speed: number,
): Promise<SoakedApp> {
  const config = mkdtempSync(path.join(os.tmpdir(), 'headroom-soak-'));
  const userData = path.join(config, 'Headroom');
  mkdirSync(userData);
  const settingsFile = path.join(userData, 'settings.json');
  writeFileSync(settingsFile, JSON.stringify({ ...defaultSettings, language: 'en', firstRunDone: true }));
  if (launcher.user !== null)
    for (const place of [config, userData, settingsFile])
      chownSync(place, launcher.user.uid, launcher.user.gid);
  const collector = temporaryCopy(launcher, path.join(root, 'test/bench/collector'));
  const collectedFile = path.join(config, 'collected');
  const electron = await _electron.launch({
    executablePath: withCollector(launcher.command, collector.folder),
    args: [...launcher.flags, appFolder],
    env: environmentOf(launcher, {
      XDG_CONFIG_HOME: config,
      HEADROOM_SCENE: scene,
      HEADROOM_SCENE_SPEED: String(speed),
      HEADROOM_COLLECTED_FILE: collectedFile,
    }),
    chromiumSandbox: !launcher.flags.includes('--no-sandbox'),
  });
  const pid = electron.process().pid;
  if (pid === undefined) throw new Error('Electron has no process id');
  const window = await electron.firstWindow();
  await window.locator('tr[data-gpu="6"]').waitFor({ timeout: 60_000 }); // The scene plays, not another one.
  const complaints: string[] = [];
  window.on('pageerror', (error) => complaints.push(error.message));
  const session = await window.context().newCDPSession(window);
  await session.send('Performance.enable');
  return {
    pid,
    logFile: path.join(userData, 'logs/headroom.log'),
    complaints: () => complaints,
    async read(collect) {
      const main = await electron.evaluate(({ app, ipcMain, nativeTheme }) => ({
        mainHeapBytes: process.memoryUsage().heapUsed,
        handles: process.getActiveResourcesInfo().length,
        listeners: [app, ipcMain, nativeTheme, process].reduce(
          (sum, emitter) =>
            sum +
            emitter.eventNames().reduce((inner, event) => inner + emitter.listenerCount(event as 'exit'), 0),
          0,
        ),
      }));
      const held = { ...main, ...(await readPage(session)), ...readFromOutside(pid) };
      return { ...held, collected: collect ? await collectSampler(pid, collectedFile) : null };
    },
    async close() {
      await electron.close();
      endGroup(pid);
      rmSync(config, { recursive: true, force: true });
      collector.remove();
    },
  };
}

async function readPage(
  session: CDPSession,
): Promise<Pick<SoakReading, 'pageHeapBytes' | 'pageListeners' | 'elements'>> {
  const { metrics } = await session.send('Performance.getMetrics');
  const value = (name: string): number => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return {
    pageHeapBytes: value('JSHeapUsedSize'),
    pageListeners: value('JSEventListeners'),
    elements: value('Nodes'),
  };
}

/** A script that starts the app with the collector in its Node processes; Playwright takes NODE_OPTIONS out of what it is given. */
function withCollector(command: string, folder: string): string {
  const script = path.join(folder, 'start');
  const options = `--require ${path.join(folder, 'collector.cjs')}`;
  writeFileSync(script, `#!/bin/sh\nNODE_OPTIONS='${options}' exec '${command}' "$@"\n`, { mode: 0o755 });
  return script;
}

/** Lets the sampler collect its garbage; null where it ends meanwhile or does not answer. */
async function collectSampler(mainPid: number, file: string): Promise<SoakReading['collected']> {
  const sampler = samplerPid(mainPid);
  if (sampler === null) return null;
  rmSync(file, { force: true });
  process.kill(sampler, 'SIGUSR2');
  for (let waited = 0; waited < collectMs && !existsSync(file); waited += 50) await wait(50);
  if (!existsSync(file)) return null;
  return { heapBytes: Number(readFileSync(file, 'utf8')), samplerBytes: pssBytes(sampler) };
}

function readFromOutside(mainPid: number): Pick<SoakReading, 'samplerBytes' | 'children' | 'openFiles'> {
  const sampler = samplerPid(mainPid);
  return {
    samplerBytes: sampler === null ? 0 : pssBytes(sampler),
    children: descendants(mainPid).length,
    openFiles: [mainPid, ...(sampler === null ? [] : [sampler])]
      .map((pid) => readdirSync(`/proc/${pid}/fd`).length)
      .reduce((sum, one) => sum + one, 0),
  };
}

function samplerPid(mainPid: number): number | null {
  const isSampler = (pid: number): boolean =>
    commandLine(pid).some((word) => word.includes('utility-sub-type=node'));
  return descendants(mainPid).find(isSampler) ?? null;
}
