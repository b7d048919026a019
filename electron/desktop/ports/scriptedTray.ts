import type { TrayHost } from '../../../shared/contract/desktopState';
import type { OpenTray, TrayLine } from './tray';

/** A tray that a test reads and clicks. Only in a build made for tests: see `openDesktopPorts.ts`. */
export class ScriptedTray {
  isThere = false;
  tooltip = '';
  lines: readonly TrayLine[] = [];
  /** How often each was set: redrawn only on change. */
  readonly changes = { icon: 0, menu: 0 };

  readonly open: OpenTray = () => {
    this.isThere = true;
    return {
      setIcon: () => void (this.changes.icon += 1),
      setTooltip: (text) => void (this.tooltip = text),
      setMenu: (lines) => {
        this.changes.menu += 1;
        this.lines = lines;
      },
      remove: () => void (this.isThere = false),
    };
  };

  /** There is a tray, unless the test's environment says otherwise. */
  readonly findHost = (): Promise<TrayHost> =>
    Promise.resolve(process.env['HEADROOM_TEST_TRAY'] === 'absent' ? 'absent' : 'present');

  /** The labels from top to bottom; a line between groups is `-`. */
  labels(): readonly string[] {
    return this.lines.map((line) => (line.kind === 'separator' ? '-' : line.label));
  }

  /** Clicks the line of that id; throws where there is none. */
  clickLine(id: string): void {
    const line = this.lines.find((one) => one.kind === 'item' && one.id === id);
    if (line?.kind !== 'item') throw new Error(`the tray's menu has no line ${id}`);
    line.onClick();
  }
}
