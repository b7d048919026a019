/**
 * Which packages of which system hold what Electron needs.
 *
 * @typedef {string} Need a library's file name, `Xvfb` or `chinese-font`
 * @typedef {'apt' | 'dnf' | 'pacman' | 'zypper' | 'unknown'} Installer
 */

/**
 * The names by need. Several for apt: Debian 13 and Ubuntu 24.04 renamed some (`t64`); the first that exists is taken.
 *
 * @type {Record<string, { apt: readonly string[], dnf: string, pacman: string, zypper: string }>}
 */
const packages = {
  'libgtk-3.so.0': {
    apt: ['libgtk-3-0t64', 'libgtk-3-0'],
    dnf: 'gtk3',
    pacman: 'gtk3',
    zypper: 'libgtk-3-0',
  },
  'libnss3.so': { apt: ['libnss3'], dnf: 'nss', pacman: 'nss', zypper: 'mozilla-nss' },
  'libasound.so.2': {
    apt: ['libasound2t64', 'libasound2'],
    dnf: 'alsa-lib',
    pacman: 'alsa-lib',
    zypper: 'libasound2',
  },
  'libgbm.so.1': { apt: ['libgbm1'], dnf: 'mesa-libgbm', pacman: 'mesa', zypper: 'libgbm1' },
  'libXss.so.1': { apt: ['libxss1'], dnf: 'libXScrnSaver', pacman: 'libxss', zypper: 'libXss1' },
  'libXtst.so.6': { apt: ['libxtst6'], dnf: 'libXtst', pacman: 'libxtst', zypper: 'libXtst6' },
  Xvfb: {
    apt: ['xvfb'],
    dnf: 'xorg-x11-server-Xvfb',
    pacman: 'xorg-server-xvfb',
    zypper: 'xorg-x11-server-Xvfb',
  },
  'chinese-font': {
    apt: ['fonts-noto-cjk'],
    dnf: 'google-noto-sans-cjk-fonts',
    pacman: 'noto-fonts-cjk',
    zypper: 'google-noto-sans-sc-fonts',
  },
};

/** Libraries that arrive together with another one, by the start of their name. */
const sameAs = [
  { start: /^lib(nss|nspr|smime|plc|plds|ssl3)/, need: 'libnss3.so' },
  {
    start: /^lib(gtk|gdk|atk|atspi|pango|cairo|gio|glib|gobject|gmodule|X|xcb|xkb|cups|dbus|expat)/i,
    need: 'libgtk-3.so.0',
  },
  { start: /^lib(gbm|drm)/, need: 'libgbm.so.1' },
];

/**
 * @param {string} osRelease the text of /etc/os-release
 * @returns {Installer}
 */
export function installerFor(osRelease) {
  const ids = [...osRelease.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap((match) =>
    (match[1] ?? '').split(' '),
  );
  if (ids.includes('debian') || ids.includes('ubuntu')) return 'apt';
  if (ids.includes('fedora') || ids.includes('rhel') || ids.includes('centos')) return 'dnf';
  if (ids.includes('arch')) return 'pacman';
  if (ids.some((id) => id.includes('suse'))) return 'zypper';
  return 'unknown';
}

/**
 * @param {'apt' | 'dnf' | 'pacman' | 'zypper'} installer
 * @param {readonly Need[]} needs
 * @param {(name: string) => Promise<boolean>} exists whether the installer knows a package of this name
 * @returns {Promise<string[]>} package names, each once; a need without a known package is left out
 */
export async function packagesFor(installer, needs, exists) {
  // Thirty missing libraries come with a handful of packages: each is asked for once, as a bare machine's apt takes seconds.
  const wanted = new Set(
    needs.flatMap(
      (need) => packages[need] ?? packages[sameAs.find(({ start }) => start.test(need))?.need ?? ''] ?? [],
    ),
  );
  /** @type {Set<string>} */
  const names = new Set();
  for (const entry of wanted) {
    if (installer !== 'apt') names.add(entry[installer]);
    else names.add((await firstWhere(entry.apt, exists)) ?? entry.apt.at(-1) ?? '');
  }
  return [...names];
}

/**
 * The sentence that tells a person what to type.
 *
 * @param {Installer} installer
 * @param {readonly Need[]} needs
 * @param {boolean} isRoot
 * @param {(name: string) => Promise<boolean>} exists as in {@link packagesFor}
 * @returns {Promise<string>}
 */
export async function installCommand(installer, needs, isRoot, exists) {
  const names = installer === 'unknown' ? [] : await packagesFor(installer, needs, exists);
  if (installer === 'unknown' || names.length === 0) {
    return 'Install the packages of your system that hold them, then run the same command again.';
  }
  const verb = {
    apt: 'apt-get install --no-install-recommends',
    dnf: 'dnf install',
    pacman: 'pacman -S',
    zypper: 'zypper install',
  }[installer];
  return `Install with: ${isRoot ? '' : 'sudo '}${verb} ${names.join(' ')}`;
}

/**
 * @param {readonly string[]} names
 * @param {(name: string) => Promise<boolean>} matches
 */
async function firstWhere(names, matches) {
  for (const name of names) if (await matches(name)) return name;
  return undefined;
}
