import type { Attention } from './source';

/** How slowly the tray and the alerts are served while no window looks. */
const backgroundMs = 5000;

/** nvidia-smi's loops are not asked to be faster. */
const leastMs = 100;

/**
 * Milliseconds between readings: as chosen while somebody looks, at most one in five seconds otherwise. A scene that
 * passes faster than the clock is read so many times as often.
 */
export function intervalFor(intervalSeconds: number, attention: Attention, speed: number): number {
  const chosen =
    attention === 'watched' ? intervalSeconds * 1000 : Math.max(intervalSeconds * 1000, backgroundMs);
  return Math.max(leastMs, Math.round(chosen / speed));
}
