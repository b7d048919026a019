import { judgeCard, lookAt, noCard } from './cardWatch';
import type { MemoryState } from './course';
import type { MemorySample } from './series';

/** An alert of a recorded series. `t` and times are seconds, `etaRangeSeconds` is between what and what the end lies. */
export interface FillAlert {
  readonly t: number;
  readonly kind: 'will-fill';
  readonly etaSeconds: number;
  readonly etaRangeSeconds: readonly [number, number];
  readonly slopeBytesPerSecond: number;
}

/** What was made of the series at one of its moments. */
export interface ReplayedOutlook {
  readonly t: number;
  readonly state: MemoryState;
  readonly etaSeconds: number | null;
  readonly etaRangeSeconds: readonly [number, number] | null;
  readonly willFill: boolean;
}

export interface Replay {
  readonly alerts: readonly FillAlert[];
  readonly final: { readonly state: MemoryState };
  readonly outlooks: readonly ReplayedOutlook[];
}

/**
 * Plays a recorded series (ascending seconds, bytes) as the one process on a card of `capacityBytes` that says nothing of its load,
 * through the same judge as the readings of this machine, once a second.
 */
export function replay(samples: readonly MemorySample[], capacityBytes: number): Replay {
  let memory = noCard;
  let lastSecond = Number.NEGATIVE_INFINITY;
  const alerts: FillAlert[] = [];
  const outlooks: ReplayedOutlook[] = [];
  for (const { t, bytes } of samples) {
    const look = {
      time: t,
      gpuIndex: 0,
      freeBytes: Math.max(0, capacityBytes - bytes),
      utilizationPercent: null,
      holders: [{ pid: recordedPid, bytes }],
    };
    memory = lookAt(memory, look);
    if (Math.floor(t) === lastSecond) continue;
    lastSecond = Math.floor(t);
    const step = judgeCard(memory, look, () => true);
    ({ memory } = step);
    const { fill, judged } = step.outlook;
    outlooks.push({
      t,
      state: judged[0]?.tracked.course?.state ?? 'unknown',
      etaSeconds: fill?.etaSeconds ?? null,
      etaRangeSeconds: fill?.etaRangeSeconds ?? null,
      willFill: fill?.willFill ?? false,
    });
    const { standing } = memory.announcement;
    if (standing?.at !== t) continue;
    const { etaSeconds, etaRangeSeconds, slopeBytesPerSecond } = standing;
    alerts.push({ t, kind: 'will-fill', etaSeconds, etaRangeSeconds, slopeBytesPerSecond });
  }
  return { alerts, final: { state: outlooks[outlooks.length - 1]?.state ?? 'unknown' }, outlooks };
}

/** The one process of a recorded series. */
const recordedPid = 1;
