/** What the desktop around the window offers. */
export interface DesktopState {
  /** Whether the desktop shows tray icons; `unknown` until it was asked, or where it cannot be. */
  readonly trayHost: TrayHost;
  /** Whether notifications can be shown at all. */
  readonly notifications: boolean;
  /** Whether the app can be started at login here. */
  readonly startAtLogin: boolean;
}

export type TrayHost = 'present' | 'absent' | 'unknown';
