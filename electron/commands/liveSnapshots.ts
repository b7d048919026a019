/** The sampler as a sequence for a command: Snapshots one after the other until the user stops it. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { noAlerts, watchAlerts } from '../../shared/alerts/watch';
import { defaultSettings } from '../../shared/contract/defaultSettings';
import type { Snapshot } from '../../shared/alerts/snapshot';
import type { WorkstationState } from '../../shared/snapshot/types';
import { calmV8 } from '../sensing/calmV8';
import { Sampler } from '../sensing/sampler';
import { backendsWith } from '../simulation/backends';

export interface LiveOptions {
  readonly sceneId: string | null;
  readonly intervalSeconds: number;
  /** Only one Snapshot, as complete as it can be had. */
  readonly once: boolean;
}

/** How long one complete Snapshot may take; the detailed report alone needs six seconds on some machines. */
const settleMs = 10_000;
const lookMs = 50;

/** Ends all children when the sequence is left. */
export async function* liveSnapshots(options: LiveOptions, signal: AbortSignal): AsyncGenerator<Snapshot> {
  calmV8();
  const queue = new Newest<Snapshot>(signal);
  const withAlerts = alertsBySettings();
  const sampler = new Sampler({
    sceneId: options.sceneId,
    intervalSeconds: options.intervalSeconds,
    nvidiaSmiPath: null,
    // The stand-in is built beside the command.
    backends: backendsWith({ standInPath: join(__dirname, 'nvidiaSmi.cjs'), nodePath: process.execPath }),
    onSnapshot: (snapshot) => queue.put(withAlerts(snapshot)),
    log: () => undefined,
  });
  try {
    sampler.start();
    if (options.once) {
      yield withAlerts(await settled(sampler, signal));
      return;
    }
    for (;;) {
      const snapshot = await queue.take();
      if (snapshot === null) return;
      yield snapshot;
    }
  } finally {
    await sampler.stop();
  }
}

/** Adds to each Snapshot the alerts that stand, by the standard settings: the command has none of its own. */
function alertsBySettings(): (state: WorkstationState) => Snapshot {
  let memory = noAlerts;
  return (state) => {
    const step = watchAlerts(memory, state, { ...defaultSettings, mutedCards: [] });
    memory = step.memory;
    return { ...state, alerts: step.alerts };
  };
}

async function settled(sampler: Sampler, signal: AbortSignal): Promise<WorkstationState> {
  const deadline = Date.now() + settleMs;
  while (!sampler.isSettled() && Date.now() < deadline && !signal.aborted) await pause(lookMs);
  return sampler.sample();
}

/** Holds the newest value until it is taken; one that nobody took in time is replaced. */
class Newest<Value> {
  private value: Value | null = null;
  private wake: (() => void) | null = null;

  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', () => this.wake?.(), { once: true });
  }

  put(value: Value): void {
    this.value = value;
    this.wake?.();
  }

  /** Null when aborted. */
  async take(): Promise<Value | null> {
    if (this.value === null && !this.signal.aborted)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    this.wake = null;
    const value = this.value;
    this.value = null;
    return this.signal.aborted ? null : value;
  }
}
