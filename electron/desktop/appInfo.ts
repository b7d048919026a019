import type { AppInfo } from '../../shared/contract/appInfo';
import type { Locale } from '../../shared/i18n/translate';

/** The parts of `process` that tell what the app runs on. */
export type Runtime = Pick<NodeJS.Process, 'platform' | 'versions'>;

export function describeApp(
  version: string,
  runtime: Runtime,
  systemLocale: Locale,
  sandboxed: boolean,
): AppInfo {
  return {
    name: 'Headroom',
    version,
    electronVersion: runtime.versions['electron'] ?? '',
    chromeVersion: runtime.versions['chrome'] ?? '',
    nodeVersion: runtime.versions.node,
    platform: knownPlatform(runtime.platform),
    systemLocale,
    sandboxed,
  };
}

function knownPlatform(platform: NodeJS.Platform): AppInfo['platform'] {
  switch (platform) {
    case 'linux':
    case 'win32':
    case 'darwin':
      return platform;
    default:
      return 'other';
  }
}
