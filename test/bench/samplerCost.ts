/**
 * Run by sensing.bench.ts in a process of its own: plays sixteen cards, fills the process table up to a number, and
 * prints what a tick of the sampler costs, and what a single look at every process costs.
 *
 * Arguments: the stand-in nvidia-smi, the number of processes, the number of ticks.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Sampler } from '../../electron/sensing/sampler';

/** The first ticks read everything for the first time and compile the code. */
const warmUpTicks = 5;

const [standInPath = '', processCount = '', tickCount = ''] = process.argv.slice(2);
const fillers: ChildProcess[] = [];
let ticks = 0;
const sampler = new Sampler({
  sceneId: 'sixteen-cards',
  intervalSeconds: 1,
  nvidiaSmiPath: null,
  simulation: { standInPath, nodePath: process.execPath },
  onSnapshot: () => (ticks += 1),
  log: (_level, text) => process.stderr.write(`${text}\n`),
});

try {
  sampler.start();
  await ticksReach(1);
  for (let missing = Number(processCount) - pids().length; missing > 0; missing -= 1)
    fillers.push(spawn('sleep', ['600'], { stdio: 'ignore' }));
  await ticksReach(ticks + warmUpTicks);
  const from = { cpu: process.cpuUsage(), ticks };
  await ticksReach(from.ticks + Number(tickCount));
  const used = process.cpuUsage(from.cpu);
  const measured = ticks - from.ticks;
  const processes = pids().length;
  const lookMs = costOfOneLook();
  await sampler.stop();
  process.stdout.write(
    JSON.stringify({
      processes,
      tickMs: (used.user + used.system) / 1000 / measured,
      lookMs,
    }),
  );
} finally {
  for (const filler of fillers) filler.kill('SIGKILL');
}

function pids(): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

async function ticksReach(count: number): Promise<void> {
  while (ticks < count) await pause(20);
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
