/** What the driver of a simulated workstation would know at one moment: the scene, with only the programs that live. */
import type { CardCondition, ProcessMoment, Scene, SceneCard } from './scene';
import { wave } from './scene';

export interface ObservedProcess extends ProcessMoment {
  readonly pid: number;
  readonly name: string;
}

export interface ObservedCard {
  readonly index: number;
  readonly card: SceneCard;
  readonly condition: CardCondition;
  readonly processes: readonly ObservedProcess[];
  readonly usedMiB: number;
  readonly freeMiB: number;
  readonly utilizationPercent: number;
  readonly memoryUtilizationPercent: number;
  readonly temperatureC: number;
  readonly powerWatts: number;
  readonly smClockMHz: number;
  readonly memoryClockMHz: number;
  readonly fanPercent: number | null;
  readonly performanceState: string;
  readonly throttleBits: bigint;
}

/** `clocks_event_reasons.active`: https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html */
export const throttle = {
  idle: 0x1n,
  swPowerCap: 0x4n,
  hwSlowdown: 0x8n,
  swThermal: 0x20n,
  hwThermal: 0x40n,
};

/** The cards at `seconds`; `pids` gives the process behind each program that is alive. */
export function observe(
  scene: Scene,
  seconds: number,
  pids: ReadonlyMap<string, number>,
): readonly ObservedCard[] {
  const names = new Map(scene.programs.map(({ key, command }) => [key, command[0] ?? key]));
  const processes = scene.processesAt(seconds).flatMap((moment): ObservedProcess[] => {
    const pid = pids.get(moment.program);
    return pid === undefined ? [] : [{ ...moment, pid, name: names.get(moment.program) ?? moment.program }];
  });
  return scene.cards.map((card, index) =>
    observeCard(
      card,
      index,
      processes.filter(({ gpuIndex }) => gpuIndex === index),
      scene.conditionAt(seconds, index),
      seconds,
    ),
  );
}

function observeCard(
  card: SceneCard,
  index: number,
  processes: readonly ObservedProcess[],
  condition: CardCondition,
  seconds: number,
): ObservedCard {
  const { model } = card;
  const usedMiB = Math.min(
    processes.reduce((sum, process) => sum + process.usedMiB, 0),
    model.memoryTotalMiB - model.memoryReservedMiB,
  );
  const load = clampPercent(processes.reduce((sum, process) => sum + process.utilizationPercent, 0));
  const busy = processes.some(({ type }) => type !== 'G');
  const share = load / 100;
  return {
    index,
    card,
    condition,
    processes,
    usedMiB,
    freeMiB: model.memoryTotalMiB - model.memoryReservedMiB - usedMiB,
    utilizationPercent: Math.round(load),
    memoryUtilizationPercent: Math.round(load * 0.62),
    temperatureC: Math.round(
      model.idleC + (model.loadC - model.idleC) * share + condition.extraTemperatureC + wave(seconds, index),
    ),
    powerWatts:
      model.idleWatts +
      (model.powerLimitWatts - model.idleWatts) * share * (0.9 + 0.03 * wave(seconds, index)),
    smClockMHz: busy
      ? model.maxSmClockMHz - (condition.throttleBits === 0n ? 15 : 420)
      : model.idleSmClockMHz,
    memoryClockMHz: model.memoryClockMHz,
    fanPercent: model.hasFan ? Math.round(share < 0.05 ? 0 : 30 + 40 * share) : null,
    performanceState: busy ? (model.hasFan ? 'P2' : 'P0') : model.hasFan ? 'P8' : 'P0',
    throttleBits: condition.throttleBits | (busy ? 0n : throttle.idle),
  };
}

function clampPercent(percent: number): number {
  return Math.max(0, Math.min(100, percent));
}
