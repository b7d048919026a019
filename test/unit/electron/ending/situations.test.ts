/** Situations of real processes, both ways: what lives is healthy, and what its launcher left is found. */
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../sensing/support';
import { judged, jobOf, ownUid } from './judgedJobs';
import { RealJobs, untilGone } from './realJobs';

const verdictOf = (pids: readonly number[]) => jobOf(judged(...pids), pids[0] ?? 0).verdict;

describe('ranks of a launcher under any name', () => {
  it.each([
    ['torchrun', {}],
    ['tune', { LAUNCHER: 'tune' }],
    ['a launcher with timeout before each rank', { WRAPPER: 'timeout 600' }],
    ['a launcher with a shell before each rank', { WRAPPER: 'sh wrapper.sh' }],
    ['a launcher that gives no run id', { TORCHELASTIC: '' }],
  ])('%s: healthy while it lives, found once it was killed', async (_what, environment) => {
    const real = new RealJobs();
    const launcher = real.torchrun('run', environment);
    const ranks = await real.pids('run.rank0', 'run.rank1');
    expect(verdictOf(ranks)).toBe('healthy');
    launcher.kill('SIGKILL');
    await untilGone(launcher.pid ?? 0);
    expect(['stale', 'suspect']).toContain(verdictOf(ranks));
  });
});

it('ranks of two users with one run folder are two jobs', async () => {
  const other = ownUid === 0 ? 65_534 : undefined;
  const real = new RealJobs();
  real.torchrun('mine');
  // The folder that torchrun names in the environment is the first one's, copied.
  real.torchrun('theirs', { PORT: '29519', FOLDER_NAME: 'mine' }, other);
  const mine = await real.pids('mine.rank0', 'mine.rank1');
  const theirs = await real.pids('theirs.rank0', 'theirs.rank1');
  const jobs = judged(...mine, ...theirs);
  const members = jobOf(jobs, mine[0] ?? 0).members.map(({ process: one }) => one.uid);
  expect(new Set(members)).toEqual(new Set([ownUid]));
});

async function bundledReader(): Promise<string> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const reader = path.join(folder, 'reader.mjs');
  await build({
    entryPoints: [path.join(import.meta.dirname, 'situationReader.ts')],
    outfile: reader,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  chmodSync(reader, 0o644);
  return reader;
}

/** Whether this machine lets the test make namespaces: as root outside of most containers. */
function canUnshare(): boolean {
  try {
    execFileSync('unshare', ['-m', '-p', '-f', '--mount-proc', 'true'], { timeout: 10_000, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.runIf(ownUid === 0 && canUnshare())('a world that is not whole', () => {
  const run = promisify(execFile);

  it('proves nothing to a user whose /proc hides other users’ processes', async () => {
    const reader = await bundledReader();
    const real = new RealJobs();
    const launcher = real.torchrun('run', {}, 65_534);
    const ranks = await real.pids('run.rank0', 'run.rank1');
    launcher.kill('SIGKILL');
    await untilGone(launcher.pid ?? 0);
    const look = `${process.execPath} ${reader} ${ranks.join(' ')}`;
    const user = `setpriv --reuid 65534 --regid 65534 --clear-groups ${look}`;
    const hidden = await run('unshare', [
      '-m',
      'sh',
      '-c',
      `mount -t proc -o hidepid=2 proc /proc && exec ${user}`,
    ]);
    expect(JSON.parse(hidden.stdout)).toEqual([['healthy']]);
    const seen = await run('sh', ['-c', user]);
    expect(JSON.parse(seen.stdout)).toEqual([['stale', 'launcher-gone', 'port-silent']]);
  });

  it.each([
    // Started by a shell that stays pid 1.
    ['a shell', (ranks: string) => `${ranks}; sleep 1; LOOK; exit`],
    // Pid 1 becomes the launcher: sh under the name of a Python program.
    ['a launcher', (ranks: string) => `exec ./python3 tune "${ranks}; sleep 1; LOOK; exit"`],
  ])('in a container whose pid 1 is %s its ranks are never stale', async (what, textOf) => {
    const reader = await bundledReader();
    const folder = temporaryFolder();
    symlinkSync('/bin/sh', path.join(folder, 'python3'));
    execFileSync('sh', ['-c', 'printf \'eval "$1"\\n\' > tune'], { cwd: folder });
    const rank = (number: number) =>
      `RANK=${number} LOCAL_RANK=${number} WORLD_SIZE=2 LOCAL_WORLD_SIZE=2 MASTER_PORT=29500 TORCHELASTIC_RUN_ID=none setsid sleep 60 & r${number}=$!`;
    const ranks = `${rank(0)}; ${rank(1)}`;
    const look = `${process.execPath} ${reader} $r0 $r1`;
    const text = textOf(ranks).replace('LOOK', look);
    const words = what === 'a launcher' ? text.replaceAll('$r', '\\$r').replaceAll('$!', '\\$!') : text;
    const { stdout } = await run('unshare', ['-p', '-f', '--mount-proc', 'sh', '-c', words], { cwd: folder });
    const verdicts = (JSON.parse(stdout) as readonly (readonly string[])[]).map(([verdict]) => verdict);
    // A shell that is pid 1 may have started them, or have taken them in when torchrun was killed: only a suspicion.
    expect(verdicts).toEqual([what === 'a shell' ? 'suspect' : 'healthy']);
  });
});
