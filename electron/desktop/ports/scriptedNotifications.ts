import type { Notice, Notifications } from './notifications';

/** Notifications that a test reads and clicks. Only in a build made for tests: see `openDesktopPorts.ts`. */
export class ScriptedNotifications implements Notifications {
  readonly shown: Notice[] = [];

  isSupported(): boolean {
    return true;
  }

  show(notice: Notice): void {
    this.shown.push(notice);
  }

  /** Clicks the newest notification of that id; throws where there is none. */
  clickNotice(id: string): void {
    const notice = this.shown.findLast((one) => one.id === id);
    if (notice === undefined) throw new Error(`no notification ${id} was shown`);
    notice.onClick();
  }
}
