import { describe, expect, it } from 'vitest';
import { CannotFree, Freeing, type FreeingServices } from '../../../../electron/ending/freeing';
import { linuxProcesses } from '../../../../electron/ending/processes';
import type { Question } from '../../../../electron/desktop/ports/dialogs';
import { ScriptedDialogs } from '../../../../electron/desktop/ports/scriptedDialogs';
import type { Snapshot } from '../../../../shared/alerts/snapshot';
import { identitiesOf } from '../../../../shared/jobs/stale/freeing';
import type { Job } from '../../../../shared/jobs/types';
import { plainCard, snapshotOf } from '../../shared/contract/typedSnapshot';
import { FakeLog } from '../fakes';
import { protection, jobOf, judged } from './judgedJobs';
import { isAlive, RealJobs, untilGone } from './realJobs';

/** A Freeing over what really lives, with what it said and asked. */
function freeing(see: () => readonly Job[], more: Partial<FreeingServices> = {}) {
  const dialogs = new ScriptedDialogs();
  const log = new FakeLog();
  const phases: string[] = [];
  const ended: (string | number)[] = [];
  const latest = (): Snapshot => {
    const jobs = see();
    const processes = jobs
      .flatMap(({ members }) => members)
      .flatMap(({ process: { pid }, cards }) => cards.map((card) => ({ ...listed, pid, ...card })));
    return snapshotOf({ time: Date.now() / 1000, cards: [card], jobs, processes });
  };
  const object = new Freeing({
    latest,
    isReadOnly: () => false,
    protection: () => protection,
    processes: linuxProcesses,
    dialogs,
    locale: () => 'en',
    log,
    onProgress: ({ progress }) => phases.push(progress.phase),
    onEnding: (job, pids) => ended.push(job.id, ...pids),
    ...more,
  });
  return { object, dialogs, log, phases, ended };
}
const listed = {
  gpuUuid: null,
  gpuInstance: null,
  computeInstance: null,
  type: 'C',
  name: 'python3',
} as const;
const card = plainCard(0);

async function orphans() {
  const real = new RealJobs();
  const dead = real.torchrun('dead', {});
  const ranks = await real.pids('dead.rank0', 'dead.rank1');
  dead.kill('SIGKILL');
  await untilGone(dead.pid ?? 0);
  const see = () => judged(...ranks.filter(isAlive));
  const job = jobOf(see(), ranks[0] ?? 0);
  return { real, ranks, see, job, shown: identitiesOf(job.members) };
}

describe('freeing a job from the window', () => {
  it('asks with Cancel as default what exactly ends, and ends it', async () => {
    const { ranks, see, job, shown } = await orphans();
    const { object, dialogs, log, phases, ended } = freeing(see);
    dialogs.answerNext('end');
    const outcome = await object.free(job.id, shown);
    expect(outcome).toMatchObject({
      kind: 'done',
      report: {
        ended: ranks.map((pid) => ({ pid, signal: 'SIGTERM', result: 'ended' })),
        remaining: [],
        memoryBackBytes: 2 * 2 ** 30,
      },
    });
    const [question] = dialogs.asked as Question[];
    expect(question).toMatchObject({
      id: 'free-job',
      title: 'Free memory',
      text: 'End train.py and free 2.0 GiB?',
      buttons: [
        { id: 'cancel', label: 'Cancel' },
        { id: 'end', label: 'Free 2.0 GiB' },
      ],
      safeButtonId: 'cancel',
    });
    expect(question?.detail?.split('\n')).toEqual([
      'These 2 processes end:',
      expect.stringMatching(
        new RegExp(`^• rank 0 · card 0 · 1\\.0 GiB · running for .+ · pid ${ranks[0]} · .*train\\.py$`),
      ),
      expect.stringMatching(
        new RegExp(`^• rank 1 · card 1 · 1\\.0 GiB · running for .+ · pid ${ranks[1]} · .*train\\.py$`),
      ),
      '',
      'This cannot be undone: what they have not saved is lost.',
    ]);
    expect(ended).toEqual([job.id, ...ranks]);
    expect(phases.at(0)).toBe('asked');
    expect(phases.at(-1)).toBe('memory');
    expect(log.lines.filter((line) => line.includes('SIGTERM to pid'))).toHaveLength(2);
    expect(log.lines.join('\n')).not.toContain('train.py');
  });

  it('ends nothing when it is called off', async () => {
    const { ranks, see, job, shown } = await orphans();
    const { object, ended } = freeing(see);
    expect(await object.free(job.id, shown)).toEqual({ kind: 'cancelled' });
    expect(ranks.every(isAlive)).toBe(true);
    expect(ended).toEqual([]);
  });

  it('refuses in read-only mode, for an unknown job, a healthy one, and one that was not shown like this', async () => {
    const { ranks, see, job, shown } = await orphans();
    const refusal = async (jobId: string, given = shown, more: Partial<FreeingServices> = {}) => {
      const { object, dialogs } = freeing(see, more);
      dialogs.answerNext('end');
      const error: unknown = await object.free(jobId, given).catch((thrown: unknown) => thrown);
      expect(dialogs.asked).toEqual([]);
      return error instanceof CannotFree ? [error.code, error.reason.key] : error;
    };
    expect(await refusal(job.id, shown, { isReadOnly: () => true })).toEqual([
      'read-only',
      'ending.readOnly',
    ]);
    expect(await refusal('1-1')).toEqual(['not-found', 'ending.unknownJob']);
    expect(await refusal(job.id, shown.slice(1))).toEqual(['failed', 'ending.changed']);
    const older = shown.map((one) => ({ ...one, startTime: one.startTime - 1 }));
    expect(await refusal(job.id, older)).toEqual(['failed', 'ending.changed']);
    expect(
      await refusal(job.id, shown, {
        latest: () => snapshotOf({ jobs: [{ ...job, verdict: 'healthy' }] }),
      }),
    ).toEqual(['failed', 'ending.notStale']);
    expect(ranks.every(isAlive)).toBe(true);
  });

  it('refuses what became read-only or another job while the question stood there', async () => {
    const { ranks, see, job, shown } = await orphans();
    let now: readonly Job[] = see();
    const { object, dialogs } = freeing(() => now);
    dialogs.answerNext('end');
    const asking = dialogs.ask.bind(dialogs);
    dialogs.ask = (question) => {
      now = now.map((one) => ({
        ...one,
        members: one.members.map((member) => ({
          ...member,
          process: { ...member.process, startTime: (member.process.startTime ?? 0) + 1 },
        })),
      }));
      return asking(question);
    };
    await expect(object.free(job.id, shown)).rejects.toMatchObject({ reason: { key: 'ending.changed' } });
    expect(ranks.every(isAlive)).toBe(true);
  });

  it('waits no longer when told so, and forces after a second yes with Cancel as default', async () => {
    const real = new RealJobs();
    const dead = real.torchrun('stubborn', { NPROC: '1', IGNORES_TERM: '1' });
    const pid = await real.pid('stubborn.rank0');
    dead.kill('SIGKILL');
    await untilGone(dead.pid ?? 0);
    const see = () => judged(...[pid].filter(isAlive));
    const [job] = see();
    if (job === undefined) throw new Error('no job');
    const { object, dialogs, phases } = freeing(see, {
      onProgress: ({ jobId, progress }) => {
        phases.push(progress.phase);
        object.cutShort(jobId);
      },
    });
    dialogs.answerNext('end');
    dialogs.answerNext('force');
    const outcome = await object.free(job.id, identitiesOf(job.members));
    expect(outcome).toMatchObject({ report: { ended: [{ pid, signal: 'SIGKILL' }], remaining: [] } });
    const question = dialogs.asked[1] as Question;
    expect(question).toMatchObject({
      id: 'force-job',
      text: '1 process did not end within the time. Force it?',
      safeButtonId: 'cancel',
    });
    expect(phases).toContain('asking-to-force');
  });

  it('does one thing at a time with a job', async () => {
    const { see, job, shown } = await orphans();
    const { object, dialogs } = freeing(see);
    dialogs.ask = () => new Promise(() => undefined);
    void object.free(job.id, shown);
    await expect(object.free(job.id, shown)).rejects.toMatchObject({ reason: { key: 'ending.busy' } });
  });
});
