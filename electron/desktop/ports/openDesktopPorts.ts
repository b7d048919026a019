import type { TrayHost } from '../../../shared/contract/desktopState';
import { findTrayHost } from '../tray/host';
import { NativeNotifications } from './nativeNotifications';
import { openNativeTray } from './nativeTray';
import type { Notifications } from './notifications';
import { ScriptedNotifications } from './scriptedNotifications';
import { ScriptedTray } from './scriptedTray';
import type { OpenTray } from './tray';

/** Set by the bundler: true only in the build that the end-to-end tests start, false in every other. */
declare const HEADROOM_TEST_BUILD: boolean | undefined;

/** What the app shows outside of its window. */
export interface DesktopPorts {
  readonly notifications: Notifications;
  readonly openTray: OpenTray;
  /** Whether the desktop shows what is put into the tray. */
  readonly findTrayHost: () => Promise<TrayHost>;
}

/** The system's; in the build made for tests, those that a test reads through `globalThis` (see `openDialogs.ts`). */
export function openDesktopPorts(isPackaged: boolean): DesktopPorts {
  if (typeof HEADROOM_TEST_BUILD !== 'undefined' && HEADROOM_TEST_BUILD && !isPackaged) {
    const notifications = new ScriptedNotifications();
    const tray = new ScriptedTray();
    Object.assign(globalThis, { headroomDesktopPorts: { notifications, tray } });
    return { notifications, openTray: tray.open, findTrayHost: tray.findHost };
  }
  return {
    notifications: new NativeNotifications(),
    openTray: openNativeTray,
    findTrayHost: () => findTrayHost(process.platform),
  };
}
