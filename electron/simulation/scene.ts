/**
 * What a scene of the simulated workstation is: data and functions of time. A scene decides nothing about formats
 * (the stand-in nvidia-smi does) and starts nothing (the simulated workstation does). Sizes are MiB, as nvidia-smi
 * prints them; times are seconds since the scene began.
 */
import type { Message } from '../../shared/i18n/message';
import type { CardModel } from './cards';

export interface SceneMigSlice {
  readonly gpuInstance: number;
  readonly computeInstance: number;
  /** NVIDIA's name of the profile: `3g.40gb`. */
  readonly profile: string;
  readonly memoryTotalMiB: number;
  readonly multiprocessors: number;
  readonly uuid: string;
}

/** A card of a scene as it never changes. nvidia-smi's index is its place in the scene. */
export interface SceneCard {
  readonly model: CardModel;
  readonly uuid: string;
  readonly serial: string | null;
  readonly pciBusId: string;
  readonly minorNumber: number;
  readonly displayActive: boolean;
  readonly mig: readonly SceneMigSlice[];
}

/** A process that really runs behind a scene, idle, with the command line and environment of what it plays. */
export interface SceneProgram {
  readonly key: string;
  /** The program that starts it, or null where the shell would. */
  readonly parent: string | null;
  /** argv[0] is what the process table shows; the rest must be no option with a meaning of its own for `sh`. */
  readonly command: readonly string[];
  /** The short name in /proc/PID/stat, where a program sets its own (`pt_data_worker`). */
  readonly shortName: string | null;
  readonly environment: Readonly<Record<string, string>>;
  /** Leads its own session, as torchrun starts its ranks. */
  readonly ownSession: boolean;
  /** Minor numbers of the /dev/nvidia files that it holds open. */
  readonly openDevices: readonly number[];
  readonly ignoresTerminate: boolean;
  /** Whether it is there at that time; it is started and ended only where this changes. */
  readonly aliveAt: (seconds: number) => boolean;
}

/** What nvidia-smi tells of a program on one card at one time; only programs that really live are shown. */
export interface ProcessMoment {
  readonly program: string;
  readonly gpuIndex: number;
  readonly type: 'C' | 'G' | 'C+G';
  readonly usedMiB: number;
  readonly utilizationPercent: number;
  readonly gpuInstance: number | null;
  readonly computeInstance: number | null;
}

/** A program that holds memory of a whole card, and computes there unless said otherwise. */
export function onCard(
  given: Omit<ProcessMoment, 'type' | 'gpuInstance' | 'computeInstance'> & Partial<ProcessMoment>,
): ProcessMoment {
  return { type: 'C', gpuInstance: null, computeInstance: null, ...given };
}

export interface CardCondition {
  /** Fallen off the bus: every call that asks for all cards fails, the others can be asked with `-i`. */
  readonly lost: boolean;
  /** The bits of `clocks_event_reasons.active` beside those that follow from the load. */
  readonly throttleBits: bigint;
  readonly extraTemperatureC: number;
  readonly eccUncorrectedErrors: number;
}

export const healthyCard: CardCondition = {
  lost: false,
  throttleBits: 0n,
  extraTemperatureC: 0,
  eccUncorrectedErrors: 0,
};

/** How the whole program fails. `hang`: it prints nothing and cannot be ended politely, as in a wedged driver. */
export type SceneFailure =
  { readonly kind: 'message'; readonly text: string; readonly exitCode: number } | { readonly kind: 'hang' };

export interface Scene {
  readonly id: string;
  readonly title: Message;
  readonly description: Message;
  readonly driverVersion: string;
  readonly cudaVersion: string;
  readonly cards: readonly SceneCard[];
  readonly programs: readonly SceneProgram[];
  processesAt(seconds: number): readonly ProcessMoment[];
  conditionAt(seconds: number, gpuIndex: number): CardCondition;
  failureAt(seconds: number): SceneFailure | null;
}

/** A gentle wave between -1 and 1 that looks alive and is the same at every run; `phase` tells cards apart. */
export function wave(seconds: number, phase: number): number {
  return 0.6 * Math.sin(seconds / 7 + phase) + 0.4 * Math.sin(seconds / 2.3 + 2.7 * phase);
}

/** The value at `seconds` on straight lines through the points (time, value), which must be in order of time. */
export function along(points: readonly (readonly [number, number])[], seconds: number): number {
  let [fromTime, fromValue] = points[0] ?? [0, 0];
  for (const [time, value] of points) {
    if (seconds <= time)
      return time === fromTime
        ? value
        : fromValue + ((value - fromValue) * (seconds - fromTime)) / (time - fromTime);
    [fromTime, fromValue] = [time, value];
  }
  return fromValue;
}
