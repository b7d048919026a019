import type { Snapshot } from '../../../shared/alerts/snapshot';
import type { RunningApp } from './launchApp';

/** Every Snapshot that the page is sent, in order: a moment that a busy test would look for too late is still there. */
export interface SeenSnapshots {
  all(): Promise<readonly Snapshot[]>;
  count(): Promise<number>;
}

/** Begins to keep them. They come while the window is visible only. */
export async function seeSnapshots({ window }: RunningApp): Promise<SeenSnapshots> {
  await window.evaluate(
    `globalThis.seen = []; headroom.on('snapshot', (json) => void globalThis.seen.push(JSON.parse(json))); undefined`,
  );
  return {
    all: () => window.evaluate<readonly Snapshot[]>('globalThis.seen'),
    count: () => window.evaluate<number>('globalThis.seen.length'),
  };
}
