/** Two plans side by side: what is set differently, and what that does to memory and time. */
import { message, type Message } from '../../i18n/message';
import type { CardEstimate } from '../../memory/estimate';
import type { MemoryKind } from '../../memory/tape/log';
import { kindsIn } from '../../memory/view/course';
import { tightestCard } from '../tightest';
import type { Plan } from '../types';
import {
  attentionName,
  checkpointingName,
  methodName,
  offloadName,
  optimizerName,
  precisionName,
  strategyName,
} from '../wizard/names';

/** A setting of both plans. */
export interface SettingRow {
  readonly label: Message;
  readonly one: Message;
  readonly other: Message;
  readonly differs: boolean;
}

/** Every setting that a plan has, in the order in which they are chosen. */
export function settingRows(one: Plan, other: Plan): readonly SettingRow[] {
  const row = (label: Message, valueOf: (plan: Plan) => Message): SettingRow => {
    const [left, right] = [valueOf(one), valueOf(other)];
    return { label, one: left, other: right, differs: !sameMessage(left, right) };
  };
  const hasAdapters = one.method !== 'full' || other.method !== 'full';
  return [
    row(message('planStep.settingMethod'), ({ method }) => methodName(method)),
    ...(hasAdapters ? [row(message('planStep.settingRank'), rankValue)] : []),
    row(message('planStep.settingStrategy'), ({ strategy }) => strategyName(strategy)),
    ...(one.schedule !== null || other.schedule !== null
      ? [
          row(message('planStep.settingSchedule'), ({ schedule }) => scheduleName(schedule)),
          row(message('planStep.settingStages'), ({ stageLayers }) =>
            stageLayers === null
              ? message('planStep.none')
              : message('planStep.layerList', { layers: stageLayers.join(' + ') }),
          ),
        ]
      : []),
    row(message('planStep.settingCards'), ({ cardIndices, world }) =>
      message('planStep.cardList', { count: world, indices: [...cardIndices].sort(rising).join(', ') }),
    ),
    row(message('planStep.settingPrecision'), ({ precision }) => precisionName(precision)),
    row(message('planStep.settingOptimizer'), ({ optimizer }) => optimizerName(optimizer)),
    row(message('planStep.settingCheckpointing'), ({ checkpointing }) =>
      checkpointingName(checkpointing.kind),
    ),
    row(message('planStep.settingAttention'), ({ attention }) => attentionName(attention)),
    row(message('planStep.settingOffload'), ({ offload }) => offloadName(offload)),
    row(message('planStep.settingSegments'), ({ expandableSegments }) =>
      expandableSegments ? message('planStep.on') : message('planStep.off'),
    ),
    row(message('planStep.settingMicroBatch'), ({ microBatch }) => count(microBatch)),
    row(message('planStep.settingAccumulation'), ({ accumulationSteps }) => count(accumulationSteps)),
    row(message('planStep.settingSequence'), ({ request }) => count(request.training.sequence)),
  ];
}

function scheduleName(schedule: Plan['schedule']): Message {
  switch (schedule) {
    case null:
      return message('planStep.none');
    case '1f1b':
      return message('planStep.schedule1f1b');
    case 'gpipe':
      return message('planStep.scheduleGpipe');
    case 'sequential':
      return message('planStep.scheduleSequential');
  }
}

function rankValue({ request }: Plan): Message {
  const { method } = request.training;
  return method.kind === 'full' ? message('planStep.none') : count(method.adapters.rank);
}

const count = (value: number): Message => message('planStep.count', { value });
const rising = (a: number, b: number): number => a - b;

const sameMessage = (one: Message, other: Message): boolean =>
  one.key === other.key && Object.entries(one.values).every(([name, value]) => other.values[name] === value);

/** A size of both plans in bytes. */
export interface SizeRow {
  readonly label: SizeLabel;
  readonly oneBytes: number;
  readonly otherBytes: number;
}

/** A kind of memory at the peak, what the process holds beside it, or a total. */
export type SizeLabel =
  | { readonly kind: 'memory'; readonly memory: MemoryKind }
  | { readonly kind: 'unused' | 'context' | 'process' | 'host' };

/**
 * What the tightest card of each plan holds at its peak, part by part and in sum, and what offloading takes of the machine's
 * memory where either plan offloads.
 */
export function sizeRows(one: Plan, other: Plan): readonly SizeRow[] {
  const [left, right] = [tightestCard(one.cards), tightestCard(other.cards)];
  if (left === null || right === null) return [];
  const row = (label: SizeLabel, of: (card: CardEstimate) => number): SizeRow => ({
    label,
    oneBytes: of(left),
    otherBytes: of(right),
  });
  const kinds = kindsIn([left.peak.byKind, right.peak.byKind]);
  return [
    ...kinds.map((memory) => row({ kind: 'memory', memory }, ({ peak }) => peak.byKind[memory])),
    row({ kind: 'unused' }, ({ allocatedPeakBytes, reservedPeakBytes }) =>
      Math.max(0, reservedPeakBytes - allocatedPeakBytes),
    ),
    row({ kind: 'context' }, ({ contextBytes }) => contextBytes),
    row({ kind: 'process' }, ({ processBytes }) => processBytes),
    ...(one.hostBytes > 0 || other.hostBytes > 0
      ? [{ label: { kind: 'host' } as const, oneBytes: one.hostBytes, otherBytes: other.hostBytes }]
      : []),
  ];
}

/** How long a sample takes with `other`, in times of `one`; null where the times are not known. */
export function timeRatio(one: Plan, other: Plan): number | null {
  const ratio = other.relativeStepTime / one.relativeStepTime;
  return Number.isFinite(ratio) && ratio > 0 ? ratio : null;
}
