import { Notification } from 'electron';
import type { Notice, Notifications } from './notifications';

/** The system's notifications. */
export class NativeNotifications implements Notifications {
  /** Kept until they are closed: a collected object loses its click (https://github.com/electron/electron/issues/16922). */
  private readonly open = new Map<string, Notification>();

  isSupported(): boolean {
    return Notification.isSupported();
  }

  show(notice: Notice): void {
    if (!this.isSupported()) return;
    this.open.get(notice.id)?.close();
    const shown = new Notification({
      title: notice.title,
      body: notice.body,
      urgency: notice.critical ? 'critical' : 'normal',
    });
    this.open.set(notice.id, shown);
    const forget = (): void => {
      if (this.open.get(notice.id) === shown) this.open.delete(notice.id);
    };
    shown.on('click', () => {
      forget();
      notice.onClick();
    });
    shown.on('close', forget);
    shown.on('failed', forget);
    shown.show();
  }
}
