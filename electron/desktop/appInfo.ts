import type { AppInfo } from '../../shared/contract/appInfo';
import type { Locale } from '../../shared/i18n/translate';

export interface Running {
  readonly version: string;
  readonly platform: NodeJS.Platform;
  readonly versions: { readonly electron?: string; readonly chrome?: string; readonly node: string };
}

export function describeApp(running: Running, systemLocale: Locale, sandboxed: boolean): AppInfo {
  return {
    name: 'Headroom',
    version: running.version,
    electronVersion: running.versions.electron ?? '',
    chromeVersion: running.versions.chrome ?? '',
    nodeVersion: running.versions.node,
    platform: knownPlatform(running.platform),
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
