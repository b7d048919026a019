/**
 * Run by sensing.bench.ts in a process of its own: plays sixteen cards, fills the process table up to a number, and
 * prints what a tick of the sampler costs, and what a single look at every process costs.
 *
 * Arguments: the stand-in nvidia-smi, the number of processes, and of windows of ticks, whose median counts.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { Sampler } from '../../electron/sensing/sampler';
import { backendsWith } from '../../electron/simulation/backends';
import { median } from './bench';

/**
 * The first ticks read everything for the first time, and V8 compiles for some minutes what runs once a second, on
 * threads whose time counts: the ticks before those that are measured come faster. What the early ones cost is told, too.
 */
const warmUp = { ticks: 300, intervalSeconds: 0.2 };
const ticksPerWindow = 10;

const [standInPath = '', processCount = '', windowCount = ''] = process.argv.slice(2);
const fillers: ChildProcess[] = [];
let ticks = 0;
let onTick = (): void => undefined;
const sampler = new Sampler({
  sceneId: 'sixteen-cards',
  intervalSeconds: warmUp.intervalSeconds,
  nvidiaSmiPath: null,
  backends: backendsWith({ standInPath, nodePath: process.execPath }),
  onSnapshot: () => {
    ticks += 1;
    onTick();
  },
  log: (_level, text) => process.stderr.write(`${text}\n`),
});

try {
  sampler.start();
  await ticksReach(1);
  for (let missing = Number(processCount) - pids().length; missing > 0; missing -= 1)
    fillers.push(spawn('sleep', ['600'], { stdio: 'ignore' }));
  await ticksReach(ticks + 3);
  const earlyMs = await costOfTicks(ticksPerWindow);
  await ticksReach(ticks + warmUp.ticks);
  await sampler.configure(1, null);
  await ticksReach(ticks + 3);
  const windowMs: number[] = [];
  for (let window = 0; window < Number(windowCount); window += 1)
    windowMs.push(await costOfTicks(ticksPerWindow));
  const processes = pids().length;
  const lookMs = costOfOneLook();
  await sampler.stop();
  process.stdout.write(
    JSON.stringify({
      processes,
      earlyMs,
      tickMs: median(windowMs),
      lookMs,
    }),
  );
} finally {
  for (const filler of fillers) filler.kill('SIGKILL');
}

function pids(): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

/** Waits without looking: a timer would be part of the measure. */
async function ticksReach(count: number): Promise<void> {
  while (ticks < count)
    await new Promise<void>((resolve) => {
      onTick = resolve;
    });
}

/** CPU milliseconds of this process a tick, over a number of ticks. */
async function costOfTicks(count: number): Promise<number> {
  const before = process.cpuUsage();
  const first = ticks;
  await ticksReach(first + count);
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1000 / (ticks - first);
}

/** CPU milliseconds to read every /proc/PID/stat once, which no reading of processes can do without. */
function costOfOneLook(): number {
  const rounds = 20;
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1)
    for (const pid of pids()) {
      try {
        readFileSync(`/proc/${pid}/stat`);
      } catch {
        continue; // It ended between the list and the look.
      }
    }
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1000 / rounds;
}
