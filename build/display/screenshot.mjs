import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../tools/failure.mjs';
import { countColours, encodePng, readWindowDump } from './windowDump.mjs';

const giveUpMs = 120_000;
/** A window without content has a background, a border and little else; text alone brings dozens of shades. */
const contentColours = 16;
/** From the first content to the first values: readings come once a second. */
const settleMs = 4_000;

/**
 * Waits until something is drawn on the virtual screen, lets it settle, and writes what is seen.
 *
 * @param {import('./xvfb.mjs').VirtualScreen} screen
 * @param {string} file a PNG; its folder is made
 * @param {AbortSignal} signal ends the waiting; the promise then stays open
 * @returns {Promise<'drawn'>}
 * @throws {Failure} when the screen stays empty
 */
export async function waitForPicture(screen, file, signal) {
  const until = Date.now() + giveUpMs;
  while (countColours(readWindowDump(screen.frame())) < contentColours) {
    if (Date.now() > until) throw new Failure(`the app drew nothing within ${giveUpMs / 1000} s`);
    if (signal.aborted) return new Promise(() => undefined);
    await wait(500);
  }
  await wait(settleMs);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, encodePng(readWindowDump(screen.frame())));
  return 'drawn';
}
