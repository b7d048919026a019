/** Programs that stand for a person's Python: they print what the look at it and train.py print. */
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../sensing/support';

/** What the fake does when it is asked to train. `hang` deaf to SIGTERM, with a child in a session of its own. */
type Training = 'two-steps' | 'out-of-memory' | 'hang' | 'flood' | 'silent';

export interface FakePython {
  readonly missing?: readonly string[];
  readonly cards?: number;
  readonly training?: Training;
}

/** Writes the program into a folder of the test's own; answers its path. Its pids go to `pids` beside it. */
export function fakePython({ cards = 8, missing = [], training = 'two-steps' }: FakePython): string {
  const folder = temporaryFolder();
  const file = path.join(folder, 'python3');
  writeFileSync(file, `#!${process.execPath}\n${script(folder, cards, missing, training)}`);
  chmodSync(file, 0o755);
  return file;
}

const script = (folder: string, cards: number, missing: readonly string[], training: Training): string => `
const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { spawn } = require('node:child_process');
const note = (pid) => appendFileSync(${JSON.stringify(path.join(folder, 'pids'))}, pid + '\\n');
const args = process.argv.slice(2);
writeFileSync(${JSON.stringify(path.join(folder, 'environment'))}, JSON.stringify({ ...process.env, cwd: process.cwd() }));
if (args[0] === '-c') {
  const missing = ${JSON.stringify(missing)}.filter((name) => args.includes(name));
  console.log('headroom-preflight ' + JSON.stringify({ missing, torch: missing.includes('torch') ? null : '2.11.0+cu130', cards: ${cards} }));
  process.exit(0);
}
note(process.pid);
const text = readFileSync('train.py', 'utf8');
const planned = JSON.parse(/PLANNED_PEAK_BYTES = (\\[.*?\\])/.exec(text)[1]);
const two = (value) => String(value).padStart(2, '0');
const now = new Date();
const time = now.getFullYear() + '-' + two(now.getMonth() + 1) + '-' + two(now.getDate()) + ' ' + [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(':') + ',000';
const say = (rank, said, level = 'INFO') => {
  const line = time + ' rank ' + rank + ' ' + level + ' ' + said;
  mkdirSync('logs', { recursive: true });
  appendFileSync('logs/rank' + rank + '.log', line + '\\n');
  if (rank === 0 || level === 'ERROR') console.log(line);
};
switch (${JSON.stringify(training)}) {
  case 'two-steps':
    planned.forEach((bytes, rank) => {
      say(rank, 'step 1 loss 6.2 0.4 s/step allocated 0.07 GiB, peak 0.15 GiB, reserved 0.19 GiB');
      say(rank, 'step 2 loss 6.1 0.4 s/step allocated 0.07 GiB, peak 0.15 GiB, reserved 0.25 GiB');
      say(rank, 'headroom: measured peak ' + Math.round(bytes * 1.012) + ' bytes, planned ' + bytes + ' bytes (+1.20 %)');
      say(rank, 'done: 2 steps');
    });
    break;
  case 'out-of-memory':
    say(0, 'this rank failed first, or saw another one fail', 'ERROR');
    console.error('Traceback (most recent call last):\\n  File "train.py", line 90, in train\\n    loss.backward()\\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.19 GiB is free. Including non-PyTorch memory, this process has 22.48 GiB memory in use. Of the allocated memory 21.90 GiB is allocated by PyTorch, and 110.00 MiB is reserved by PyTorch but unallocated.');
    process.exit(1);
  case 'hang': {
    process.on('SIGTERM', () => undefined);
    const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000)"], { detached: true, stdio: 'inherit' });
    note(child.pid);
    console.log('hanging');
    setInterval(() => undefined, 1000);
    break;
  }
  case 'flood':
    setInterval(() => process.stdout.write('x'.repeat(65536)), 0);
    break;
  case 'silent':
    break;
}
`;
