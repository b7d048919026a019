import type { Card } from '../../shared/gpu/types';
import type { Snapshot } from '../../shared/alerts/snapshot';
import {
  holderKind,
  splitCard,
  splitSlice,
  type CardPart,
  type CardSplit,
} from '../../shared/snapshot/cardSplit';
import type { MigSlice } from '../../shared/gpu/types';
import type { Job } from '../../shared/jobs/types';
import { MiB, columnUnit } from '../../shared/units';
import type { I18n } from '../state/i18n.svelte';
import type { JobColours } from '../state/jobColours';
import type { BarFill, BarPart } from '../ui/barParts';

/** How much room a card gets: a band with its legend, or one line. */
export type Density = 'band' | 'line';

export function densityFor(cardCount: number): Density {
  return cardCount <= 4 ? 'band' : 'line';
}

/** Smaller remainders come from readings taken at different moments and would only be noise in a legend. */
const legendFloorBytes = 32 * MiB;

export interface MemoryFigures {
  readonly used: string;
  readonly total: string;
}

/** One card's memory as a bar and in words. */
export interface CardMemory {
  readonly parts: readonly BarPart[];
  /** The parts worth naming under the bar. */
  readonly legend: readonly BarPart[];
  readonly totalBytes: number | null;
  readonly reservedBytes: number | null;
  /** `23.1` and `24.0 GiB`, in one unit; null where nothing is known. */
  readonly figures: MemoryFigures | null;
  /** The whole bar in a sentence. */
  readonly summary: string;
}

export function cardMemory(card: Card, snapshot: Snapshot, i18n: I18n, colours: JobColours): CardMemory {
  const rest = card.sharesHostMemory ? 'workstation.partSystem' : 'workstation.partUnattributed';
  return describe(splitCard(card, snapshot.jobs), i18n.t(rest), i18n, colours);
}

export function sliceMemory(
  slice: MigSlice,
  gpuIndex: number,
  snapshot: Snapshot,
  i18n: I18n,
  colours: JobColours,
): CardMemory {
  const split = splitSlice(slice, gpuIndex, snapshot.processes, snapshot.jobs);
  return describe(split, i18n.t('workstation.partUnattributed'), i18n, colours);
}

/** `restName` is what memory is called that no job holds. */
function describe(split: CardSplit, restName: string, i18n: I18n, colours: JobColours): CardMemory {
  const held = split.parts.map((part): BarPart => ({
    key: part.jobId,
    name: partName(part, i18n),
    bytes: part.bytes,
    fill: partFill(part, colours),
  }));
  const rest: readonly BarPart[] =
    split.unattributedBytes === null || split.unattributedBytes === 0
      ? []
      : [
          {
            key: 'unattributed',
            name: restName,
            bytes: split.unattributedBytes,
            fill: { kind: 'unattributed' },
          },
        ];
  const parts = [...held, ...rest];
  return {
    parts,
    legend: parts.filter((part) => part.key !== 'unattributed' || part.bytes >= legendFloorBytes),
    totalBytes: split.totalBytes,
    reservedBytes: split.reservedBytes,
    figures: figures(split, i18n),
    summary: summary(split, parts, i18n),
  };
}

function partName(part: CardPart, i18n: I18n): string {
  if (part.kind !== 'otherUser') return part.title;
  return part.user === null
    ? i18n.t('workstation.partOtherUnknown', { title: part.title })
    : i18n.t('workstation.partOther', { user: part.user, title: part.title });
}

/** How a job is drawn in bars and charts. */
export function jobFill(job: Job, colours: JobColours): BarFill {
  return partFill({ kind: holderKind(job), jobId: job.id }, colours);
}

function partFill(part: Pick<CardPart, 'kind' | 'jobId'>, colours: JobColours): BarFill {
  switch (part.kind) {
    case 'job':
      return { kind: 'colour', colour: colours.of(part.jobId) };
    case 'otherUser':
      return { kind: 'other' };
    case 'desktop':
      return { kind: 'desktop' };
  }
}

function figures(split: CardSplit, i18n: I18n): MemoryFigures | null {
  const { usedBytes, totalBytes } = split;
  if (usedBytes === null && totalBytes === null) return null;
  const unit = columnUnit([totalBytes ?? usedBytes]);
  const word = (bytes: number | null): string =>
    bytes === null ? i18n.t('common.unknown') : i18n.bytesIn(bytes, unit);
  return { used: word(usedBytes), total: `${word(totalBytes)} ${unit}` };
}

function summary(split: CardSplit, parts: readonly BarPart[], i18n: I18n): string {
  const { usedBytes, totalBytes, reservedBytes } = split;
  if (usedBytes === null) return i18n.t('workstation.barUnknown');
  if (totalBytes === null) return i18n.t('workstation.barUsedOnly', { used: usedBytes });
  const unit = columnUnit([totalBytes]);
  const values = { used: i18n.bytesIn(usedBytes, unit), total: i18n.bytesIn(totalBytes, unit) };
  const named = parts.map((part) => ({ name: part.name, bytes: part.bytes }));
  if (reservedBytes !== null && reservedBytes > 0) {
    named.push({ name: i18n.t('workstation.partReserved'), bytes: reservedBytes });
  }
  return [
    unit === 'GiB' ? i18n.t('workstation.barUsed', values) : i18n.t('workstation.barUsedMiB', values),
    ...named.map((part) => i18n.t('workstation.barPart', part)),
  ].join('; ');
}

/** The name that all cards share; null where they differ or it is not known. */
export function commonName(cards: readonly Card[]): string | null {
  const names = new Set(cards.map((card) => card.name));
  const [name] = names;
  return names.size === 1 && name !== undefined ? name : null;
}
