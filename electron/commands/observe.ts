/** Looks at the machine or a scene for some seconds and keeps looking: what is a leftover may take several Snapshots. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Snapshot } from '../../shared/alerts/snapshot';
import { message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import { scenes } from '../simulation/scenes';
import type { Arguments } from './arguments';
import { CommandError } from './command';
import type { liveSnapshots } from './liveSnapshots';

export type Live = typeof liveSnapshots;

/** Facts that change after a program's start are read again after two seconds, listening ports at once. */
export const observeMs = 6000;
/** The first Snapshot is there within this, or there is none to be had. */
const firstMs = 15_000;

/** The scene named by `--simulate`, or null for this machine. Throws CommandError for an unknown one. */
export function chosenScene(args: Arguments): string | null {
  const sceneId = args.text('simulate');
  const ids = scenes.map(({ id }) => id);
  if (sceneId !== null && !ids.includes(sceneId))
    throw new CommandError(message('watch.unknownScene', { scene: sceneId, scenes: ids.join(', ') }));
  return sceneId;
}

/**
 * Hands `use` the newest Snapshot, always, once it has looked for `lookMs` (shorter where the Snapshots end before, or
 * where there is no nvidia-smi).
 * All children have ended when this resolves. Throws where not one Snapshot came, or where the user stopped it.
 */
export async function whileWatching<Result>(
  live: Live,
  sceneId: string | null,
  lookMs: number,
  signal: AbortSignal,
  use: (latest: () => Snapshot) => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  const stop = (): void => over.abort();
  signal.addEventListener('abort', stop, { once: true });
  let newest: Snapshot | null = null;
  const pump = (async () => {
    for await (const snapshot of live({ sceneId, intervalSeconds: 1, once: false }, over.signal))
      newest = snapshot;
  })();
  try {
    const ended = pump.then(() => true);
    const started = Date.now();
    for (let firstAt: number | null = null, isOver = false; !isOver;) {
      if (newest !== null) firstAt ??= Date.now();
      if (newest !== null && hasNothingToRead(newest)) break;
      if (firstAt === null ? Date.now() - started > firstMs : Date.now() - firstAt >= lookMs) break;
      isOver = await Promise.race([ended, pause(50, false)]);
    }
    if (newest === null || signal.aborted) throw new Error('no Snapshot came');
    // The generator replaces it behind the compiler's back.
    const first: Snapshot = newest;
    return await use(() => newest ?? first);
  } finally {
    over.abort();
    signal.removeEventListener('abort', stop);
    await pump;
  }
}

/** Why no card could be read, in one line; null where one was. Nothing is known of jobs then. */
export function unreadCards({ cards, problems }: Snapshot, locale: Locale): string | null {
  const [first] = cards.length === 0 ? problems : [];
  if (first === undefined) return null;
  return translate(locale, message('ending.notRead', { reason: translate(locale, first.message) }));
}

/** Without nvidia-smi a longer look shows no more. */
function hasNothingToRead({ cards, problems }: Snapshot): boolean {
  return cards.length === 0 && problems.some(({ code }) => code === 'command-missing');
}
