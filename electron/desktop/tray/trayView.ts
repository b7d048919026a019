import { worstSeverity, type Severity } from '../../../shared/alerts/severity';
import type { Card } from '../../../shared/gpu/types';
import type { Snapshot } from '../../../shared/alerts/snapshot';
import type { Destination } from '../../../shared/alerts/places';
import { shortCardName } from '../../../shared/gpu/cardName';
import { fullness } from '../../../shared/gpu/fullness';
import { message, type Message } from '../../../shared/i18n/message';
import { columnUnit, formatBytesIn, GiB } from '../../../shared/units';
import type { TrayFace, TrayLevel } from './drawIcon';

/** What a line of the tray's menu does. */
export type TrayAction =
  | { readonly kind: 'go'; readonly destination: Destination }
  | { readonly kind: 'show' | 'snooze' | 'wake' | 'quit' };

type TrayRow =
  | { readonly kind: 'item'; readonly id: string; readonly text: Message; readonly action: TrayAction | null }
  | { readonly kind: 'separator' };

/** The tray as data: the face of the icon, the text beside the pointer, and the rows of the menu. */
export interface TrayView {
  readonly face: TrayFace;
  readonly tooltip: readonly Message[];
  readonly rows: readonly TrayRow[];
}

export interface TrayQuestion {
  readonly snapshot: Snapshot | null;
  /** Until when nothing is announced, seconds since the epoch; null: alerts are announced. */
  readonly snoozedUntil: number | null;
  /** The time of day of `snoozedUntil`, as people write it. */
  readonly clock: (time: number) => string;
  /** Numbers in the menu are written for people of this language. */
  readonly locale: string;
}

const separator: TrayRow = { kind: 'separator' };

/**
 * What the tray says of a Snapshot. Sizes in the menu are rounded to whole GiB, because every change replaces the menu,
 * which closes under the hand of whoever has it open; the exact ones are in the tooltip.
 */
export function trayView(question: TrayQuestion): TrayView {
  const { snapshot } = question;
  const cards = snapshot?.cards ?? [];
  return {
    face: faceOf(snapshot),
    tooltip: [headline(snapshot), ...cards.map((card) => cardText(card, question.locale, 1))],
    rows: [
      { kind: 'item', id: 'show', text: message('tray.show'), action: { kind: 'show' } },
      separator,
      ...cardRows(snapshot, question.locale),
      separator,
      ...staleRows(snapshot),
      snoozeRow(question),
      separator,
      { kind: 'item', id: 'quit', text: message('desktop.menuQuit'), action: { kind: 'quit' } },
    ],
  };
}

function headline(snapshot: Snapshot | null): Message {
  if (snapshot === null || snapshot.cards.length === 0) return message('tray.noReadings');
  return snapshot.source.kind === 'simulated'
    ? message('tray.simulated')
    : message('tray.headline', { host: snapshot.host.hostname });
}

/** The colour is that of the worst alert that stands: what is switched off, muted or too short to tell colours nothing. */
function faceOf(snapshot: Snapshot | null): TrayFace {
  const percents = (snapshot?.cards ?? []).map(usedPercent).filter((percent) => percent !== null);
  const percent = percents.length === 0 ? null : Math.max(...percents);
  const worst = worstSeverity((snapshot?.alerts ?? []).map(({ severity }) => severity));
  return { percent, level: levelOf(worst, percent) };
}

function levelOf(worst: Severity | null, percent: number | null): TrayLevel {
  switch (worst) {
    case 'critical':
    case 'warning':
      return worst;
    case 'info':
    case null:
      return percent === null ? 'unknown' : 'good';
  }
}

/** Used memory in percent; null where it is not known, as of a card that was lost. */
function usedPercent(card: Card): number | null {
  const share = card.lost ? null : fullness(card);
  return share === null ? null : 100 * share;
}

function cardRows(snapshot: Snapshot | null, locale: string): readonly TrayRow[] {
  if (snapshot === null || snapshot.cards.length === 0)
    return [{ kind: 'item', id: 'no-cards', text: message('tray.noReadings'), action: null }];
  return snapshot.cards.map((card) => ({
    kind: 'item',
    id: `card-${card.index}`,
    text: cardText(card, locale, 0),
    action: {
      kind: 'go',
      destination: { place: 'workstation', gpuIndex: card.index, jobId: null },
    },
  }));
}

function cardText(card: Card, locale: string, digits: 0 | 1): Message {
  const { index, memoryUsedBytes: used, memoryTotalBytes: total } = card;
  const values = { card: index, name: shortCardName(card.name) };
  if (card.lost) return message('tray.cardLost', values);
  if (used === null || total === null) return message('tray.cardUnknown', values);
  const unit = columnUnit([total]);
  const size = (bytes: number): string =>
    digits === 1 || unit === 'MiB' ? formatBytesIn(bytes, unit, locale) : String(Math.round(bytes / GiB));
  return message('tray.card', { ...values, used: size(used), total: size(total), unit });
}

function staleRows(snapshot: Snapshot | null): readonly TrayRow[] {
  const stale = (snapshot?.jobs ?? []).filter(({ verdict }) => verdict === 'stale');
  if (stale.length === 0) return [];
  const rows = stale.map((job): TrayRow => ({
    kind: 'item',
    id: `job-${job.id}`,
    text: message('tray.staleJob', { job: job.title, held: job.memoryBytes }),
    action: { kind: 'go', destination: { place: 'workstation', gpuIndex: null, jobId: job.id } },
  }));
  return [...rows, separator];
}

function snoozeRow({ snoozedUntil, clock }: TrayQuestion): TrayRow {
  return snoozedUntil === null
    ? { kind: 'item', id: 'snooze', text: message('tray.snooze'), action: { kind: 'snooze' } }
    : {
        kind: 'item',
        id: 'wake',
        text: message('tray.snoozed', { time: clock(snoozedUntil) }),
        action: { kind: 'wake' },
      };
}
