import type { ElectronApplication } from 'playwright-core';

/** A notification as the test build keeps it. */
interface ShownNotice {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly critical: boolean;
}

interface ShownTray {
  readonly isThere: boolean;
  readonly tooltip: string;
  readonly labels: readonly string[];
  readonly changes: { readonly icon: number; readonly menu: number };
}

/** What the test build shows outside of its window (electron/desktop/ports/openDesktopPorts.ts), seen from a test. */
export interface DesktopPorts {
  notices(): Promise<readonly ShownNotice[]>;
  clickNotice(id: string): Promise<void>;
  tray(): Promise<ShownTray>;
  /** Clicks a line of the tray's menu. */
  clickLine(id: string): Promise<void>;
}

interface MainGlobals {
  readonly headroomDesktopPorts: {
    readonly notifications: { readonly shown: readonly ShownNotice[]; clickNotice(id: string): void };
    readonly tray: Omit<ShownTray, 'labels'> & { labels(): readonly string[]; clickLine(id: string): void };
  };
}

export function desktopPortsOf(electron: ElectronApplication): DesktopPorts {
  return {
    notices: () =>
      electron.evaluate(() =>
        (globalThis as unknown as MainGlobals).headroomDesktopPorts.notifications.shown.map(
          ({ id, title, body, critical }) => ({ id, title, body, critical }),
        ),
      ),
    clickNotice: (id) =>
      electron.evaluate(
        (_electron, value) =>
          (globalThis as unknown as MainGlobals).headroomDesktopPorts.notifications.clickNotice(value),
        id,
      ),
    tray: () =>
      electron.evaluate(() => {
        const { tray } = (globalThis as unknown as MainGlobals).headroomDesktopPorts;
        return {
          isThere: tray.isThere,
          tooltip: tray.tooltip,
          labels: tray.labels(),
          changes: tray.changes,
        };
      }),
    clickLine: (id) =>
      electron.evaluate(
        (_electron, value) =>
          (globalThis as unknown as MainGlobals).headroomDesktopPorts.tray.clickLine(value),
        id,
      ),
  };
}
