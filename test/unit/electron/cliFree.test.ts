import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { freeOver } from '../../../electron/commands/free';
import { staleOver } from '../../../electron/commands/stale';
import type { Live } from '../../../electron/commands/observe';
import type { Snapshot } from '../../../shared/alerts/snapshot';
import { cardProblem, machineProblem } from '../../../shared/gpu/problems';
import type { Job } from '../../../shared/jobs/types';
import { plainCard, snapshotOf } from '../shared/contract/typedSnapshot';
import { facts, hold, jobsOf } from '../shared/jobs/facts';
import { call } from './cliSupport';
import { judged, ownUid } from './ending/judgedJobs';
import { isAlive, RealJobs, untilGone } from './ending/realJobs';

const GiB = 2 ** 30;

/** Snapshots of what really lives now, until nobody wants more; each listed process holds 1 GiB on its own card. */
function liveOf(see: () => readonly Job[]): Live {
  return async function* live(_options, signal) {
    while (!signal.aborted) {
      const jobs = see();
      const onCards = jobs.flatMap(({ members }) => members).filter(({ cards }) => cards.length > 0);
      yield snapshotOf({
        time: Date.now() / 1000,
        source: { kind: 'machine', sceneId: null },
        cards: [0, 1, 2].map((index) => plainCard(index)),
        jobs,
        processes: onCards.flatMap(({ process, cards }) =>
          cards.map((card) => ({ ...listed, pid: process.pid, ...card })),
        ),
      });
      await pause(50);
    }
  };
}
const listed = {
  gpuUuid: null,
  gpuInstance: null,
  computeInstance: null,
  type: 'C',
  name: 'python3',
} as const;

const lookMs = 100;
const run = (
  live: Live,
  words: readonly string[],
  more: { readonly environment?: Readonly<Record<string, string>>; readonly answers?: string[] } = {},
  isHurried = () => false,
) => call([staleOver(live, lookMs), freeOver(live, lookMs, isHurried)], words, more);

/** Two ranks whose launcher was killed, and a healthy run of the same script. */
async function orphans() {
  const real = new RealJobs();
  const dead = real.torchrun('dead');
  real.torchrun('well', { PORT: '29519' });
  const ranks = await real.pids('dead.rank0', 'dead.rank1');
  const healthy = await real.pids('well.rank0', 'well.rank1', 'well.launcher');
  dead.kill('SIGKILL');
  await untilGone(dead.pid ?? 0);
  const live = liveOf(() => judged(...[...ranks, healthy[0] ?? 0].filter(isAlive)));
  return { real, ranks, healthy, live };
}

interface StaleAnswer {
  readonly jobs: readonly {
    readonly id: string;
    readonly verdict: string;
    readonly memoryBytes: number;
    readonly reasons: readonly { readonly sign: string; readonly text: string; readonly weight: number }[];
    readonly against: readonly unknown[];
    readonly wouldEnd: readonly Readonly<Record<string, unknown>>[];
  }[];
}

describe('headroom stale and free', () => {
  it('list the orphaned ranks with reasons, and end exactly them with --yes', async () => {
    const { real, ranks, healthy, live } = await orphans();
    const listed = await run(live, ['stale', '--json']);
    expect([listed.code, listed.stderr]).toEqual([1, '']);
    const answer = JSON.parse(listed.stdout) as StaleAnswer;
    expect(answer.jobs.map(({ verdict, memoryBytes }) => [verdict, memoryBytes])).toEqual([
      ['stale', 2 * GiB],
    ]);
    const [job] = answer.jobs;
    expect(job?.reasons[0]).toEqual({
      sign: 'launcher-gone',
      text: 'torchrun started its 2 ranks, but no torchrun is above them any more.',
      weight: 0.9,
    });
    expect(
      job?.wouldEnd.map(({ pid, rank, gpuIndex, usedBytes }) => [pid, rank, gpuIndex, usedBytes]),
    ).toEqual([
      [ranks[0], 0, 0, GiB],
      [ranks[1], 1, 1, GiB],
    ]);
    expect(Object.keys(job?.wouldEnd[0] ?? {})).toEqual(
      expect.arrayContaining(['pid', 'startTime', 'user', 'rank', 'gpuIndex', 'usedBytes', 'command']),
    );

    const environment = { HOME: real.folder };
    const freed = await run(live, ['free', job?.id ?? '', '--yes', '--json'], { environment });
    expect(freed.code).toBe(0);
    expect(JSON.parse(freed.stdout)).toMatchObject({
      ended: ranks.map((pid) => ({ pid, signal: 'SIGTERM', result: 'ended' })),
      remaining: [],
      memoryBackBytes: 2 * GiB,
    });
    expect(healthy.every(isAlive)).toBe(true);
    const log = readFileSync(join(real.folder, '.config/Headroom/logs/endings.log'), 'utf8');
    expect(log).toMatch(
      new RegExp(`^\\S+Z SIGTERM to pid ${ranks[0]} \\(start \\d+, uid \\d+, rank 0\\): sent\\.$`, 'm'),
    );
    expect(log).not.toContain('train.py');
  });

  it('ask before ending, and refuse where nobody can answer', async () => {
    const { ranks, live } = await orphans();
    const id = String(ranks[0]);
    const nobody = await run(live, ['free', id]);
    expect([nobody.code, nobody.stderr.split('\n').at(-2)]).toEqual([
      2,
      'headroom free: Ending needs an answer: run it in a terminal, or give --yes.',
    ]);
    expect(nobody.stderr).toContain(`${ranks[1]}  rank 1  1     1.0 GiB`);
    const no = await run(live, ['free', id], { answers: [''] });
    expect([no.code, no.stdout]).toEqual([1, 'Nothing was ended.\n']);
    expect(ranks.every(isAlive)).toBe(true);
    const yes = await run(live, ['free', id], { answers: ['y'] });
    expect(yes.code).toBe(0);
    expect(yes.stdout).toMatch(
      /^pid \d+: ended \(SIGTERM\)\npid \d+: ended \(SIGTERM\)\n2\.0 GiB came back after /,
    );
  });

  it('end one that is only suspect after a typed yes alone, and force only after a second', async () => {
    const real = new RealJobs();
    const dead = real.torchrun('stubborn', { NPROC: '1', IGNORES_TERM: '1' });
    const pid = await real.pid('stubborn.rank0');
    dead.kill('SIGKILL');
    await untilGone(dead.pid ?? 0);
    const live = liveOf(() => judged(...[pid].filter(isAlive)));
    const hurried = (...answers: string[]) =>
      run(live, ['free', String(pid), '--json'], { answers }, () => true);
    expect((await hurried('y')).stdout).toContain('Nothing was ended.');
    const kept = await hurried('yes', 'n');
    expect([kept.code, JSON.parse(kept.stdout)]).toMatchObject([
      1,
      { ended: [], remaining: [{ pid, why: `Process ${pid} did not end when asked, and was not forced.` }] },
    ]);
    expect(isAlive(pid)).toBe(true);
    const forced = await hurried('yes', 'yes');
    expect([forced.code, JSON.parse(forced.stdout)]).toMatchObject([
      0,
      { ended: [{ pid, signal: 'SIGKILL', result: 'ended' }], memoryBackBytes: GiB },
    ]);
  });

  it('refuse --yes where nothing proves that it is stale', async () => {
    const real = new RealJobs();
    const dead = real.torchrun('single', { NPROC: '1' });
    const pid = await real.pid('single.rank0');
    dead.kill('SIGKILL');
    await untilGone(dead.pid ?? 0);
    const answer = await run(
      liveOf(() => judged(pid)),
      ['free', String(pid), '--yes'],
    );
    expect([answer.code, answer.stdout, answer.stderr]).toEqual([
      2,
      '',
      'headroom free: train.py may be stale, but nothing proves it: --yes ends only what is proven. Run it in a terminal without --yes.\n',
    ]);
    expect(isAlive(pid)).toBe(true);
  });

  it.runIf(ownUid === 0)('refuse another user’s leftover to root, and say who may free it', async () => {
    const real = new RealJobs();
    const dead = real.torchrun('other', {}, 65_534);
    const ranks = await real.pids('other.rank0', 'other.rank1');
    dead.kill('SIGKILL');
    await untilGone(dead.pid ?? 0);
    const live = liveOf(() => judged(...ranks));
    const answer = await run(live, ['free', String(ranks[0]), '--yes']);
    expect(answer.code).toBe(2);
    expect(answer.stderr).toMatch(/^headroom free: train\.py belongs to .+: only they can free it/);
    expect(ranks.every(isAlive)).toBe(true);
  });

  it('refuse what is no leftover, no job or no scene', async () => {
    const { healthy, live } = await orphans();
    const healthyAnswer = await run(live, ['free', String(healthy[0]), '--yes']);
    expect([healthyAnswer.code, healthyAnswer.stderr]).toEqual([
      2,
      'headroom free: train.py is not stale; end it where it was started.\n',
    ]);
    const both = await run(live, ['free', 'train.py', '--yes']);
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^headroom free: 2 jobs are called train\.py; give the id of one: \d+-\d+, \d+-\d+\n$/,
      ),
    ]);
    const none = await run(live, ['free', 'nothing', '--yes']);
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringMatching(/^headroom free: no job is called "nothing"; stale jobs now: \d+-\d+\n$/),
    ]);
    expect((await run(live, ['stale', '--simulate', 'nowhere'])).code).toBe(2);
    expect((await run(live, ['free', '--yes'])).code).toBe(2);
  });

  it('names a pid that no process has, and memory that no process is listed for', async () => {
    const gone = facts({ pid: 4242, startTime: null, unreadable: [{ facts: 'process', reason: 'gone' }] });
    const snapshot = snapshotOf({
      cards: [plainCard(0), { ...plainCard(1), memoryUsedBytes: 19 * GiB }],
      jobs: jobsOf([gone], [hold(4242, 0, 9 * GiB)]),
      processes: [{ ...listed, pid: 4242, gpuIndex: 0, usedBytes: 9 * GiB }],
      problems: [cardProblem('memory-unattributed', { index: 1, label: '1' }, 19 * GiB)],
    });
    const one: Live = async function* live() {
      yield snapshot;
    };
    const told = await run(one, ['stale', '--json']);
    expect(JSON.parse(told.stdout)).toMatchObject({
      unexplained: [
        { gpuIndex: 0, pids: [4242], usedBytes: 9 * GiB },
        { gpuIndex: 1, pids: [], usedBytes: 19 * GiB },
      ],
    });
    const text = (await run(one, ['stale'])).stdout;
    expect(text).toContain('Card 0: nvidia-smi lists pid 4242 with 9.0 GiB, but no process has that pid.\n');
    expect(text).toContain('Card 1: 19.0 GiB are in use that no listed process holds.\n');
  });

  it('say so where there is none, and where the cards cannot be read', async () => {
    const one = (snapshot: Snapshot): Live =>
      async function* live() {
        yield snapshot;
      };
    expect(await run(one(snapshotOf({ cards: [plainCard(0)] })), ['stale'])).toEqual({
      code: 0,
      stdout: 'No stale job found.\n',
      stderr: '',
    });
    const missing = await run(one(snapshotOf({ problems: [machineProblem('library-missing')] })), [
      'stale',
      '--json',
    ]);
    expect([missing.code, missing.stdout]).toEqual([1, '{"jobs":[],"unexplained":[]}\n']);
    expect(missing.stderr).toMatch(/^The cards could not be read: .+\n$/);
    const notFreed = await run(one(snapshotOf({ problems: [machineProblem('library-missing')] })), [
      'free',
      '7',
      '--json',
    ]);
    expect([notFreed.code, JSON.parse(notFreed.stdout), notFreed.stderr]).toEqual([
      1,
      { ended: [], remaining: [], memoryBackBytes: 0, tookSeconds: 0 },
      missing.stderr,
    ]);
    expect((await run(one(snapshotOf({ cards: [plainCard(0)] })), ['free', '7'])).stderr).toBe(
      'headroom free: no job is called "7", and none is stale now\n',
    );
  });

  it('stale looks no longer where there is no nvidia-smi', async () => {
    const without: Live = async function* live(_options, signal) {
      yield snapshotOf({ problems: [machineProblem('command-missing')] });
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    const { code, stdout, stderr } = await call([staleOver(without, Infinity)], ['stale']);
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      'The cards could not be read: nvidia-smi is not installed or not on the search path.\n',
    ]);
  });
});
