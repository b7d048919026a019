import type { Message } from '../../../shared/i18n/message';
import type { OpenTray, Tray } from '../ports/tray';
import { drawIcon, type TrayFace } from './drawIcon';
import type { TrayAction, TrayView } from './trayView';

export interface TrayRendererOptions {
  readonly open: OpenTray;
  /** Side of the icon on a plain screen, in pixels. */
  readonly iconSize: number;
  readonly words: (text: Message) => string;
  readonly act: (action: TrayAction) => void;
}

/**
 * Keeps the tray as a view says, and touches no more of it than differs: the icon by whole percent, the menu by its
 * words. While it is switched off there is no tray, and the last view waits for it.
 */
export class TrayRenderer {
  private tray: Tray | null = null;
  private view: TrayView | null = null;
  private shownFace = '';
  private shownTooltip = '';
  private shownMenu = '';

  constructor(private readonly options: TrayRendererOptions) {}

  isShown(): boolean {
    return this.tray !== null;
  }

  switchOn(): void {
    if (this.tray !== null) return;
    const face = this.view?.face ?? { percent: null, level: 'unknown' };
    this.tray = this.options.open(this.pictures(face), () => this.options.act({ kind: 'show' }));
    this.shownFace = keyOf(face);
    this.shownTooltip = '';
    this.shownMenu = '';
    if (this.view !== null) this.update(this.view);
  }

  switchOff(): void {
    this.tray?.remove();
    this.tray = null;
  }

  update(view: TrayView): void {
    this.view = view;
    const { tray } = this;
    if (tray === null) return;
    const { words, act } = this.options;
    if (keyOf(view.face) !== this.shownFace) {
      this.shownFace = keyOf(view.face);
      tray.setIcon(this.pictures(view.face));
    }
    const tooltip = view.tooltip.map(words).join('\n');
    if (tooltip !== this.shownTooltip) {
      this.shownTooltip = tooltip;
      tray.setTooltip(tooltip);
    }
    const rows = view.rows.map((row) => (row.kind === 'item' ? { ...row, label: words(row.text) } : row));
    const menu = JSON.stringify(rows.map((row) => (row.kind === 'item' ? [row.id, row.label] : null)));
    if (menu === this.shownMenu) return;
    this.shownMenu = menu;
    tray.setMenu(
      rows.map((row) =>
        row.kind === 'separator'
          ? row
          : {
              kind: 'item',
              id: row.id,
              label: row.label,
              enabled: row.action !== null,
              onClick: () => {
                if (row.action !== null) act(row.action);
              },
            },
      ),
    );
  }

  private pictures(face: TrayFace) {
    return [1, 2].map((scale) => drawIcon(face, this.options.iconSize * scale));
  }
}

function keyOf({ percent, level }: TrayFace): string {
  return `${percent === null ? '-' : Math.floor(percent)} ${level}`;
}
