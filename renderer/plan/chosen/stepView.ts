import type { CardEstimate } from '../../../shared/memory/estimate';
import type { BytesByKind } from '../../../shared/memory/timeline';
import { kindsIn } from '../../../shared/memory/view/course';
import { kindMessage } from '../../../shared/memory/view/words';
import type { I18n } from '../../state/i18n.svelte';
import type { BarFill } from '../../ui/barParts';
import { kindColours } from './kindColours';
import type { StepLayer } from './stepChart';

/** A row of the legend: what is held at the peak, and at the point that is looked at. */
export interface LegendRow {
  readonly key: string;
  readonly name: string;
  readonly fill: BarFill | null;
  readonly peakBytes: number;
  /** Null: there is no such point, or this is not known at a point of the step. */
  readonly hereBytes: number | null;
}

/** What a step's chart stacks: what CUDA holds itself, and above it the kinds that the step has. */
export function stepLayers(card: CardEstimate, i18n: I18n): readonly StepLayer[] {
  const kinds = kindsIn(card.timeline.map(({ byKind }) => byKind));
  return [
    {
      name: i18n.t('planStep.context'),
      token: '--bar-desktop',
      bytes: card.timeline.map(() => card.contextBytes),
    },
    ...kinds.map((kind) => ({
      name: i18n.text(kindMessage(kind)),
      token: `--job-${kindColours[kind]}`,
      bytes: card.timeline.map(({ byKind }) => byKind[kind]),
    })),
  ];
}

/** The parts of the process from the top of the stack down; together they are what the card shows. */
export function legendRows(card: CardEstimate, here: BytesByKind | null, i18n: I18n): readonly LegendRow[] {
  const { peak, timeline } = card;
  const kinds = kindsIn([peak.byKind, ...timeline.map(({ byKind }) => byKind)]);
  const unused = Math.max(0, card.reservedPeakBytes - card.allocatedPeakBytes);
  return [
    {
      key: 'unused',
      name: i18n.t('planStep.unused'),
      fill: { kind: 'unattributed' },
      peakBytes: unused,
      hereBytes: null,
    },
    ...kinds.toReversed().map((kind) => ({
      key: kind,
      name: i18n.text(kindMessage(kind)),
      fill: { kind: 'colour', colour: kindColours[kind] } as const,
      peakBytes: peak.byKind[kind],
      hereBytes: here?.[kind] ?? null,
    })),
    {
      key: 'context',
      name: i18n.t('planStep.context'),
      fill: { kind: 'desktop' },
      peakBytes: card.contextBytes,
      hereBytes: here === null ? null : card.contextBytes,
    },
  ];
}
