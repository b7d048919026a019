import { outlook, type Outlook } from './outlook';
import { noPast, remember, seriesOf, type MemorySample } from './series';
import { sureSeconds } from './warning';

interface FillAlert {
  readonly t: number;
  readonly kind: 'will-fill';
  readonly etaSeconds: number;
  readonly slopeBytesPerSecond: number;
}

export interface Replay {
  readonly alerts: readonly FillAlert[];
  readonly final: { readonly state: Outlook['state'] };
  readonly outlooks: readonly (Outlook & { readonly t: number })[];
}

/** An alert that has been quiet for this long may be raised anew. */
const rearmSeconds = 30;

/**
 * Plays a recorded series (ascending seconds, bytes) through the forecaster as if live, once a second. An alert is
 * raised when the outlook has said `willFill` for as long as in the app, once until it has been quiet for half a minute.
 */
export function replay(samples: readonly MemorySample[], capacityBytes: number): Replay {
  let past = noPast;
  let lastSecond = Number.NEGATIVE_INFINITY;
  let warnedSince: number | null = null;
  let raised = false;
  let quietSince: number | null = null;
  const alerts: FillAlert[] = [];
  const outlooks: (Outlook & { t: number })[] = [];
  for (const sample of samples) {
    past = remember(past, sample);
    if (Math.floor(sample.t) === lastSecond) continue;
    lastSecond = Math.floor(sample.t);
    const now = outlook(seriesOf(past), capacityBytes);
    outlooks.push({ t: sample.t, ...now });
    if (now.willFill) {
      warnedSince ??= sample.t;
      quietSince = null;
      if (
        !raised &&
        sample.t - warnedSince >= sureSeconds &&
        now.etaSeconds !== null &&
        now.slopeBytesPerSecond !== null
      ) {
        raised = true;
        alerts.push({
          t: sample.t,
          kind: 'will-fill',
          etaSeconds: now.etaSeconds,
          slopeBytesPerSecond: now.slopeBytesPerSecond,
        });
      }
    } else {
      warnedSince = null;
      quietSince ??= sample.t;
      if (sample.t - quietSince >= rearmSeconds) raised = false;
    }
  }
  return { alerts, final: { state: outlooks[outlooks.length - 1]?.state ?? 'unknown' }, outlooks };
}
