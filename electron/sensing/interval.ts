import type { Attention } from './source';

/** How slowly the tray and the alerts are served while no window looks. */
const backgroundMs = 5000;

/** Milliseconds between readings: as chosen while somebody looks, at most one in five seconds otherwise. */
export function intervalFor(intervalSeconds: number, attention: Attention): number {
  const chosen = Math.max(100, Math.round(intervalSeconds * 1000));
  return attention === 'watched' ? chosen : Math.max(chosen, backgroundMs);
}
