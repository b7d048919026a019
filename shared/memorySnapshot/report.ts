/** What a memory snapshot tells: who held the peak, what grows, what is left, what lies idle, what failed. */
import { message, type Message } from '../i18n/message';
import type { Phase } from '../memory/tape/marks';
import type { MemoryKind } from '../memory/tape/log';
import { frameText, type StackFrame } from './callStacks';
import { segmentBytes } from './blockSizes';
import { courseOf, secondsAt } from './course';
import { type Fragmentation, fragmentationOf } from './fragmentation';
import { growthOf } from './growth';
import { type SnapshotHolder, holdersAt } from './holders';
import { kindsOf } from './kinds';
import { type SnapshotBytesByKind, sumByKind } from './kindSums';
import { phasesOf } from './phases';
import { actionNumber } from './records';
import { type DeviceHistory, replayDevice } from './replay';
import type { SnapshotFile } from './snapshotFile';
import { StackRoles, userFrame } from './stackRoles';
import { highestIn, type StepMarks, stepMarks, stepsOf, type TrainingStep } from './steps';

/** Memory of one call stack. */
export interface StackBytes {
  readonly bytes: number;
  readonly count: number;
  /** As PyTorch prints them, `file:line:function`, innermost first; of C++ only where there is no Python. */
  readonly frames: readonly string[];
  /** What it is for; null: unknown. */
  readonly what: MemoryKind | null;
  /** The line of the user's own program that led here; null: none is in the stack. */
  readonly line: string | null;
}

export interface GrowthReport {
  readonly bytesPerStep: number;
  readonly stacks: readonly (StackBytes & { readonly bytesPerStep: number })[];
  /** The user's lines that the growing memory comes from, largest first. */
  readonly lines: readonly { readonly line: string; readonly bytesPerStep: number }[];
  readonly meaning: Message;
}

export interface StepReport {
  readonly fromSeconds: number;
  readonly peakBytes: number;
  /** What was left at its end. */
  readonly restBytes: number;
  readonly phases: readonly PhaseReport[];
}

export interface PhaseReport {
  readonly phase: Phase;
  readonly peakBytes: number;
  readonly endBytes: number;
}

export interface OomReport {
  /** As PyTorch's message prints it: what it asked of the driver. */
  readonly triedBytes: number;
  /** What the program asked for. */
  readonly requestedBytes: number;
  readonly freeBytes: number;
  readonly allocatedBytes: number;
  readonly reservedBytes: number;
  readonly unallocatedBytes: number;
  readonly time: number;
  readonly frames: readonly string[];
  readonly line: string | null;
  readonly byStack: readonly StackBytes[];
}

export interface DeviceReport {
  readonly index: number;
  readonly peak: {
    readonly time: number;
    readonly allocatedBytes: number;
    readonly byKind: SnapshotBytesByKind;
    readonly byStack: readonly StackBytes[];
  };
  readonly end: {
    readonly allocatedBytes: number;
    readonly reservedBytes: number;
    readonly byStack: readonly StackBytes[];
  };
  readonly start: { readonly allocatedBytes: number; readonly reservedBytes: number };
  readonly reservedPeakBytes: number;
  readonly growth: GrowthReport | null;
  /** Null: no optimizer's step was found. */
  readonly steps: readonly StepReport[] | null;
  readonly fragmentation: Fragmentation;
  readonly oom: OomReport | null;
  /** Seconds since the first entry, and what was allocated. */
  readonly timeline: readonly (readonly [number, number])[];
  readonly entries: number;
}

export interface SnapshotReport {
  /** The file does not say which version wrote it. */
  readonly torch: string | null;
  readonly devices: readonly DeviceReport[];
  /** Whether the history does not reach back to its beginning. */
  readonly truncated: boolean;
  readonly problems: readonly { readonly code: SnapshotProblem; readonly message: Message }[];
}

export type SnapshotProblem =
  'history-cut' | 'began-late' | 'no-history' | 'no-stacks' | 'no-steps' | 'replay-differs';

const mostStacks = 100;
const mostPoints = 2_000;
const mostSteps = 500;
const oomAction = actionNumber('oom');

/** One device as it is worked with: its history and what each allocation is for. */
export interface DeviceAnalysis {
  readonly index: number;
  readonly history: DeviceHistory;
  readonly kinds: Uint8Array;
  readonly marks: StepMarks;
  readonly steps: readonly TrainingStep[];
  readonly peakAt: number;
}

/** A file with all that views and reports ask of it. */
export class SnapshotAnalysis {
  readonly devices: readonly DeviceAnalysis[];
  readonly roles: StackRoles;

  constructor(readonly file: SnapshotFile) {
    this.roles = new StackRoles(file.stacks);
    this.devices = deviceNumbers(file).map((index) => this.analyse(index));
  }

  report(): SnapshotReport {
    const problems: { code: SnapshotProblem; message: Message }[] = [];
    let truncated = false;
    for (const device of this.devices) {
      const { history, index } = device;
      const isIncomplete = history.trace.count > 0 && history.startAllocatedBytes > 0;
      // Without stacks a cut history looks like one that began late; then it is called cut.
      if (history.isCut || (isIncomplete && this.file.stacks.count <= 1)) {
        truncated = true;
        const bytes = history.startAllocatedBytes;
        problems.push({
          code: 'history-cut',
          message: message('memorySnapshot.historyCut', { index, bytes }),
        });
      } else if (isIncomplete) {
        const bytes = history.startAllocatedBytes;
        problems.push({ code: 'began-late', message: message('memorySnapshot.beganLate', { index, bytes }) });
      }
      if (history.trace.count === 0)
        problems.push({ code: 'no-history', message: message('memorySnapshot.noHistory', { index }) });
      else if (device.marks.foundBy === null)
        problems.push({ code: 'no-steps', message: message('memorySnapshot.noSteps', { index }) });
      if (history.mismatches > 0)
        problems.push({
          code: 'replay-differs',
          message: message('memorySnapshot.replayDiffers', { index, count: history.mismatches }),
        });
    }
    if (this.file.stacks.count <= 1)
      problems.push({ code: 'no-stacks', message: message('memorySnapshot.noStacks') });
    return { torch: null, devices: this.devices.map((device) => this.reportOf(device)), truncated, problems };
  }

  /** What is allocated after an entry of a device, by stack, largest first. */
  stacksAt({ history, kinds }: DeviceAnalysis, event: number): readonly StackBytes[] {
    return this.named(holdersAt(history, kinds, event));
  }

  /** The frames of a stack as texts, and the user's line in it. */
  describe(stack: number): { readonly frames: readonly string[]; readonly line: string | null } {
    const python = this.file.stacks.pythonFrames(stack);
    const line = userFrame(python);
    return {
      frames: python.length > 0 ? python.map(frameText) : nativeFrames(this.file.stacks.frames(stack)),
      line: line === null ? null : frameText(line),
    };
  }

  private analyse(index: number): DeviceAnalysis {
    const history = replayDevice(this.file, index);
    const marks = stepMarks(history, this.file.annotations, index, this.roles);
    return {
      index,
      history,
      kinds: kindsOf(history, marks, this.roles),
      marks,
      steps: stepsOf(history, marks),
      peakAt: peakOf(history),
    };
  }

  /** Stacks that differ only in C++ frames read the same and count as one. */
  private named(holders: readonly SnapshotHolder[]): readonly StackBytes[] {
    const found = new Map<string, { bytes: number; count: number } & Omit<StackBytes, 'bytes' | 'count'>>();
    for (const { bytes, count, kind, stack } of holders) {
      const description = this.describe(stack);
      const key = `${kind} ${description.frames.join('\n')}`;
      const known = found.get(key);
      if (known === undefined) found.set(key, { bytes, count, ...description, what: kind });
      else {
        known.bytes += bytes;
        known.count += count;
      }
    }
    return [...found.values()].sort((one, other) => other.bytes - one.bytes);
  }

  private reportOf(device: DeviceAnalysis): DeviceReport {
    const { history, index, kinds, marks, peakAt, steps } = device;
    const peakHolders = holdersAt(history, kinds, peakAt);
    const { count } = history.trace;
    const points = courseOf(history, kinds, { from: 0, to: count }, mostPoints);
    return {
      index,
      peak: {
        time: count === 0 ? 0 : secondsAt(history, Math.max(0, peakAt)),
        allocatedBytes: peakAt < 0 ? history.startAllocatedBytes : (history.allocatedBytes[peakAt] ?? 0),
        byKind: sumByKind(peakHolders),
        byStack: this.named(peakHolders).slice(0, mostStacks),
      },
      start: { allocatedBytes: history.startAllocatedBytes, reservedBytes: history.startReservedBytes },
      end: {
        allocatedBytes: history.endAllocatedBytes,
        reservedBytes: history.endReservedBytes,
        byStack: this.named(holdersAt(history, kinds, count - 1)).slice(0, mostStacks),
      },
      reservedPeakBytes: history.reservedBytes.reduce(
        (most, bytes) => Math.max(most, bytes),
        history.startReservedBytes,
      ),
      growth: this.growth(device),
      steps:
        marks.foundBy === null
          ? null
          : steps.slice(0, mostSteps).map((step) => ({
              fromSeconds: secondsAt(history, step.from),
              peakBytes: step.peakBytes,
              restBytes: step.restBytes,
              phases: phasesOf(history, step, marks, this.roles).map(({ endBytes, peakBytes, phase }) => ({
                phase,
                peakBytes,
                endBytes,
              })),
            })),
      fragmentation: fragmentationOf(this.file.segments.filter((segment) => segment.device === index)),
      oom: this.oom(device),
      timeline: points.map(({ allocatedBytes, seconds }) => [seconds, allocatedBytes] as const),
      entries: count,
    };
  }

  private growth({ history, kinds, steps }: DeviceAnalysis): GrowthReport | null {
    const growth = growthOf(history, steps);
    if (growth === null) return null;
    const last = steps[steps.length - 1];
    const holders = new Map(
      holdersAt(history, kinds, last?.restAt ?? 0).map((holder) => [holder.stack, holder]),
    );
    const merged = new Map<
      string,
      { bytesPerStep: number; bytes: number; count: number } & Omit<StackBytes, 'bytes' | 'count'>
    >();
    for (const { bytes, bytesPerStep, count, stack } of growth.stacks) {
      const description = this.describe(stack);
      const what = holders.get(stack)?.kind ?? null;
      const key = `${what} ${description.frames.join('\n')}`;
      const known = merged.get(key);
      if (known === undefined) merged.set(key, { bytes, count, ...description, what, bytesPerStep });
      else {
        known.bytes += bytes;
        known.count += count;
        known.bytesPerStep += bytesPerStep;
      }
    }
    const stacks = [...merged.values()].sort((one, other) => other.bytesPerStep - one.bytesPerStep);
    const lines = new Map<string, number>();
    for (const { bytesPerStep, line } of stacks)
      if (line !== null) lines.set(line, (lines.get(line) ?? 0) + bytesPerStep);
    const graphBytes = stacks.reduce(
      (sum, { bytesPerStep, what }) =>
        what === 'activations' || what === 'logits' ? sum + bytesPerStep : sum,
      0,
    );
    const isGraph = graphBytes > growth.bytesPerStep / 2;
    return {
      bytesPerStep: growth.bytesPerStep,
      stacks: stacks.slice(0, mostStacks),
      lines: [...lines]
        .map(([line, bytesPerStep]) => ({ line, bytesPerStep }))
        .sort((one, other) => other.bytesPerStep - one.bytesPerStep),
      meaning: message(isGraph ? 'memorySnapshot.growthOfGraphs' : 'memorySnapshot.growthOfTensors'),
    };
  }

  private oom(device: DeviceAnalysis): OomReport | null {
    const { history } = device;
    const { trace } = history;
    const event = trace.action.lastIndexOf(oomAction);
    if (event < 0) return null;
    const requestedBytes = trace.size[event] ?? 0;
    const allocatedBytes = history.allocatedBytes[event] ?? 0;
    const reservedBytes = history.reservedBytes[event] ?? 0;
    return {
      triedBytes: segmentBytes(requestedBytes),
      requestedBytes,
      freeBytes: trace.address[event] ?? 0,
      allocatedBytes,
      reservedBytes,
      unallocatedBytes: reservedBytes - allocatedBytes,
      time: secondsAt(history, event),
      ...this.describe(trace.stack[event] ?? 0),
      byStack: this.stacksAt(device, event).slice(0, mostStacks),
    };
  }
}

/** The devices that hold or did anything. */
function deviceNumbers({ segments, traces }: SnapshotFile): readonly number[] {
  const found = new Set(segments.map(({ device }) => device));
  traces.forEach(({ count }, index) => {
    if (count > 0) found.add(index);
  });
  return [...found].sort((one, other) => one - other);
}

/** The entry after which most is allocated; -1: before the first. */
function peakOf(history: DeviceHistory): number {
  const { allocatedBytes, startAllocatedBytes, trace } = history;
  if (trace.count === 0) return -1;
  const highest = highestIn(history, 0, trace.count);
  return (allocatedBytes[highest] ?? 0) > startAllocatedBytes ? highest : -1;
}

const mostNativeFrames = 4;

/** What of a stack without Python says something: the node of the graph that ran. */
function nativeFrames(frames: readonly StackFrame[]): readonly string[] {
  const nodes = frames.flatMap(
    ({ function: name }) =>
      /(\w{1,120}Backward\d{0,4}|AccumulateGrad)(?:_apply_functional)?(?:::|\()/.exec(name)?.[1] ?? [],
  );
  return [...new Set(nodes)].slice(0, mostNativeFrames);
}
