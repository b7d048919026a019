import type { Picture } from '../tray/picture';

/** One line of the tray's menu, in words already translated. */
export type TrayLine =
  | {
      readonly kind: 'item';
      readonly id: string;
      readonly label: string;
      readonly enabled: boolean;
      readonly onClick: () => void;
    }
  | { readonly kind: 'separator' };

/** The one icon of the app in the tray. Behind an interface, because a test can neither see nor click it. */
export interface Tray {
  /** The icon at its size on a plain screen and at twice that. */
  setIcon(pictures: readonly Picture[]): void;
  setTooltip(text: string): void;
  /** Replaces the whole menu; a menu that is open may close, so call it only when a line really changed. */
  setMenu(lines: readonly TrayLine[]): void;
  remove(): void;
}

/** Puts the icon into the tray. There is never more than one: only the first speaks the tray's newer protocol. */
export type OpenTray = (first: readonly Picture[], onClick: () => void) => Tray;
