import { setTimeout as wait } from 'node:timers/promises';
import type { VirtualScreen } from '../../build/display/xvfb.mjs';
import { countColours, readWindowDump } from '../../build/display/windowDump.mjs';
import { median, type Bench, type BenchRow } from './bench';
import { startBare, startHeadroom, type MeasuredWindow } from './windows';

export const name = 'First paint';

const rounds = 7;
const aim = 1.6;
const giveUpMs = 30_000;
/** An empty window has few colours; text brings many shades. */
const contentColours = 16;

/** From the start of the process to the first text on the screen, of Headroom and of a bare window, in turns. */
export const run: Bench = async (context): Promise<readonly BenchRow[]> => {
  const { screen } = context;
  if (screen === null) return [];
  const bare: number[] = [];
  const own: number[] = [];
  for (let round = 0; round < rounds; round++) {
    bare.push(await timeToPaint(screen, startBare(context)));
    own.push(await timeToPaint(screen, startHeadroom(context, 'two-3090-oom')));
  }
  const ratio = median(own) / median(bare);
  return [
    {
      what: `time to first text (median of ${rounds})`,
      measured: `${median(own).toFixed(0)} ms`,
      baseline: `${median(bare).toFixed(0)} ms, bare window`,
      result: `${ratio.toFixed(2)}x`,
      aim: `${aim}x`,
      aimMet: ratio <= aim,
    },
  ];
};

async function timeToPaint(screen: VirtualScreen, window: MeasuredWindow): Promise<number> {
  try {
    const until = window.startedAtMs + giveUpMs;
    while (countColours(readWindowDump(screen.frame(), 4)) < contentColours) {
      if (performance.now() > until) throw new Error('no text on the screen within 30 s');
      await wait(5);
    }
    return performance.now() - window.startedAtMs;
  } finally {
    await window.close();
    await untilEmpty(screen);
  }
}

async function untilEmpty(screen: VirtualScreen): Promise<void> {
  while (countColours(readWindowDump(screen.frame(), 4)) > 1) await wait(50);
}
