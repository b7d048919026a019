/** A snapshot beside a plan: the same phases laid over each other, and what came that was not planned, largest first. */
import { message, type Message } from '../i18n/message';
import type { CardEstimate } from '../memory/cardEstimate';
import type { Phase } from '../memory/tape/marks';
import { memoryKinds, type MemoryKind } from '../memory/tape/log';
import type { BytesByKind as PlannedByKind } from '../memory/timeline';
import { phaseSpans } from '../memory/view/course';
import { MiB } from '../units';
import { holdersAt } from './holders';
import { type SnapshotBytesByKind, sumByKind } from './kindSums';
import { phasesOf } from './phases';
import type { DeviceAnalysis, SnapshotAnalysis, StackBytes } from './report';
import { shortFrame, tellingFrames } from './view/frames';
import { unplannedCause } from './unplannedCauses';
import type { TrainingStep } from './steps';

/** What a plan says of one card. */
export interface PlannedCard {
  readonly allocatedPeakBytes: number;
  /** Null: the plan is known by its peak alone. */
  readonly phases: readonly PlannedPhase[] | null;
}

export interface PlannedPhase {
  readonly phase: Phase;
  readonly peakBytes: number;
  readonly byKind: PlannedByKind;
}

/** One phase in the plan and in the snapshot. */
export interface PhaseBesidePlan {
  readonly phase: Phase;
  /** Null: the plan has no such phase, or the snapshot shows none. */
  readonly plannedPeakBytes: number | null;
  readonly peakBytes: number | null;
  readonly plannedByKind: PlannedByKind | null;
  readonly byKind: SnapshotBytesByKind | null;
}

/** More or less of a kind than planned, at the peak of a phase. */
export interface PlanDifference {
  readonly phase: Phase;
  readonly what: MemoryKind | null;
  readonly plannedBytes: number;
  readonly actualBytes: number;
  /** Above 0: more than planned. */
  readonly differenceBytes: number;
  /** The stacks that hold most of this kind. */
  readonly stacks: readonly StackBytes[];
  /** Where the stacks show what the plan did not count on. */
  readonly cause: Message | null;
}

export interface BesidePlan {
  readonly device: number;
  readonly plannedPeakBytes: number;
  readonly peakBytes: number;
  readonly phases: readonly PhaseBesidePlan[];
  readonly differences: readonly PlanDifference[];
}

/** Less is the rounding of blocks. */
const leastDifference = MiB;
const leastShare = 0.001;
const mostDifferences = 40;
const mostStacks = 3;

/** The phases of an estimate with a timeline; a phase that runs several times is its highest run. */
export function plannedCardOf({ allocatedPeakBytes, timeline }: CardEstimate): PlannedCard {
  const phases = new Map<Phase, PlannedPhase>();
  for (const { peakByKind, peakBytes, phase } of phaseSpans(timeline))
    if (peakBytes > (phases.get(phase)?.peakBytes ?? -1))
      phases.set(phase, { phase, peakBytes, byKind: peakByKind });
  return { allocatedPeakBytes, phases: phases.size === 0 ? null : [...phases.values()] };
}

/**
 * Lays a device's snapshot beside what was planned for it. Of its steps the one with the highest peak counts; where no step was
 * found, the peaks alone are compared.
 */
export function besidePlan(
  analysis: SnapshotAnalysis,
  device: DeviceAnalysis,
  planned: PlannedCard,
): BesidePlan {
  const peakBytes = device.history.allocatedBytes[device.peakAt] ?? device.history.startAllocatedBytes;
  const step = highestStep(device.steps);
  const actual = step === null ? [] : phasesOf(device.history, step, device.marks, analysis.roles);
  const names = [...new Set([...(planned.phases ?? []), ...actual].map(({ phase }) => phase))];
  const phases = names.map((phase): PhaseBesidePlan & { readonly peakAt: number | null } => {
    const plan = planned.phases?.find((candidate) => candidate.phase === phase);
    const found = actual.find((candidate) => candidate.phase === phase);
    return {
      phase,
      plannedPeakBytes: plan?.peakBytes ?? null,
      peakBytes: found?.peakBytes ?? null,
      plannedByKind: plan?.byKind ?? null,
      byKind: found === undefined ? null : sumByKind(holdersAt(device.history, device.kinds, found.peakAt)),
      peakAt: found?.peakAt ?? null,
    };
  });
  const least = Math.max(leastDifference, leastShare * planned.allocatedPeakBytes);
  const differences = phases
    .flatMap((phase) => differencesOf(analysis, device, phase, least))
    .sort((one, other) => Math.abs(other.differenceBytes) - Math.abs(one.differenceBytes))
    .slice(0, mostDifferences);
  return {
    device: device.index,
    plannedPeakBytes: planned.allocatedPeakBytes,
    peakBytes,
    phases: phases.map(({ peakAt: _, ...phase }) => phase),
    differences,
  };
}

function highestStep(steps: readonly TrainingStep[]): TrainingStep | null {
  return steps.reduce<TrainingStep | null>(
    (highest, step) => (highest === null || step.peakBytes > highest.peakBytes ? step : highest),
    null,
  );
}

function differencesOf(
  analysis: SnapshotAnalysis,
  device: DeviceAnalysis,
  { byKind, peakAt, phase, plannedByKind }: PhaseBesidePlan & { readonly peakAt: number | null },
  least: number,
): readonly PlanDifference[] {
  if (byKind === null || plannedByKind === null || peakAt === null) return [];
  const stacks = analysis.stacksAt(device, peakAt);
  const kinds: readonly (MemoryKind | null)[] = [...memoryKinds, null];
  return kinds.flatMap((what) => {
    const plannedBytes = what === null ? 0 : plannedByKind[what];
    const actualBytes = byKind[what ?? 'unknown'];
    const differenceBytes = actualBytes - plannedBytes;
    if (Math.abs(differenceBytes) < least) return [];
    const ofKind = stacks.filter((stack) => stack.what === what);
    // What the plan has nothing of comes first: that is what a person looks for.
    const named = ofKind.map((stack) => ({ stack, cause: unplannedCause(stack) }));
    named.sort(
      (one, other) =>
        Number(other.cause !== null) - Number(one.cause !== null) || other.stack.bytes - one.stack.bytes,
    );
    return [
      {
        phase,
        what,
        plannedBytes,
        actualBytes,
        differenceBytes,
        stacks: named.slice(0, mostStacks).map(({ stack }) => stack),
        cause: differenceBytes > 0 ? (named[0]?.cause ?? null) : null,
      },
    ];
  });
}

/** One line for a difference: how many of what size, where, and why. */
export function differenceMessage({
  actualBytes,
  differenceBytes,
  plannedBytes,
  stacks,
}: PlanDifference): Message {
  const [first] = stacks;
  const where = shortFrame(tellingFrames(first?.frames ?? [])[0] ?? '');
  if (differenceBytes > 0 && first !== undefined && where !== '')
    return message('memorySnapshot.moreThanPlanned', {
      difference: differenceBytes,
      count: first.count,
      each: first.bytes / first.count,
      where,
    });
  return differenceBytes > 0
    ? message('memorySnapshot.moreOfKind', {
        difference: differenceBytes,
        actual: actualBytes,
        planned: plannedBytes,
      })
    : message('memorySnapshot.lessOfKind', {
        difference: -differenceBytes,
        actual: actualBytes,
        planned: plannedBytes,
      });
}
