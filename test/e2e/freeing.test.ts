import { expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { callFromPage, valueOf } from './harness/calls';
import { launchApp, type RunningApp } from './harness/launchApp';
import { seeSnapshots } from './harness/seen';
import { WorkstationPage } from './pages/WorkstationPage';

const MiB = 1024 ** 2;

const jobsOf = async (app: RunningApp) => (await valueOf(app, 'snapshot.current', null))?.jobs ?? [];
const jobCalled = async (app: RunningApp, title: string) =>
  (await jobsOf(app)).find((job) => job.title === title);
const isLauncher = ({ role }: { readonly role: string }) => role === 'launcher';
const pidsOf = (job: Awaited<ReturnType<typeof jobCalled>>) =>
  (job?.members ?? []).map(({ process }) => process.pid);

test('orphaned ranks are seen within 10 s, freed with the keyboard, and nothing else is touched', async () => {
  const app = await launchApp({ scene: 'orphaned-ranks', size: { width: 900, height: 600 } });
  const seen = await seeSnapshots(app);
  const page = new WorkstationPage(app.window);
  const freeButton = page.freeButton(/^train_gpt\.py/);
  await freeButton.waitFor();
  // The launcher is killed 3 s into the scene; from then on it is a matter of Snapshots.
  const left = (await seen.all()).flatMap(({ time, jobs }) =>
    jobs
      .filter(({ title, members }) => title === 'train_gpt.py' && !members.some(isLauncher))
      .map(({ verdict }) => ({ time, verdict })),
  );
  const judgedAt = left.find(({ verdict }) => verdict === 'stale')?.time ?? Infinity;
  expect(judgedAt - (left[0]?.time ?? 0)).toBeLessThanOrEqual(10);
  expect(await freeButton.innerText()).toBe('Free 38.6 GiB'); // 19,846 + 19,642 MiB
  expect((await page.reasonsOf()).join(' ')).toMatch(/Its launcher \(pid \d+\) ended .* ago\./);

  const stale = await jobCalled(app, 'train_gpt.py');
  const healthy = await jobCalled(app, 'finetune_bert.py');
  expect([stale?.verdict, healthy?.verdict]).toEqual(['stale', 'healthy']);

  // Called off once: Cancel is what Enter, Escape and closing choose.
  await page.row(/^train_gpt\.py/).focus();
  await app.window.keyboard.press('Delete');
  await expect.poll(async () => (await app.dialogs.asked()).length).toBe(1);
  const [question] = await app.dialogs.asked();
  expect(question).toMatchObject({
    id: 'free-job',
    title: 'Free memory',
    text: 'End train_gpt.py and free 38.6 GiB?',
    buttons: [
      { id: 'cancel', label: 'Cancel' },
      { id: 'end', label: 'Free 38.6 GiB' },
    ],
    safeButtonId: 'cancel',
  });
  const detail = question?.detail?.split('\n') ?? [];
  expect(detail[0]).toBe('These 6 processes end:');
  expect(detail[1]).toMatch(
    /^• rank 0 · card 0 · 19\.4 GiB · running for .+ · pid \d+ · \.venv\/bin\/python3 -u train_gpt\.py/,
  );
  expect(detail.at(-1)).toBe('This cannot be undone: what they have not saved is lost.');
  for (const pid of pidsOf(stale)) expect(question?.detail).toContain(String(pid));
  for (const pid of pidsOf(healthy)) expect(question?.detail).not.toContain(String(pid));
  expect(pidsOf(stale).every(isAlive)).toBe(true);

  await expect.poll(() => freeButton.isEnabled()).toBe(true); // It waits for the answer until then.
  await app.dialogs.answerNext('end');
  await page.row(/^train_gpt\.py/).focus();
  await app.window.keyboard.press('Delete');
  const notice = page.freeing;
  await expect.poll(() => notice.innerText()).toMatch(/train_gpt\.py has ended: 38\.6 GiB came back/);
  expect(await page.isInSight(notice)).toBe(true);
  expect(pidsOf(stale).some(isAlive)).toBe(false);
  expect(pidsOf(healthy).every(isAlive)).toBe(true);
  await expect.poll(() => page.barText(0)).toMatch(/^Card 0: (?:<0\.1|0\.\d) of 24\.0 GiB used/);
  await expect
    .poll(async () => (await jobsOf(app)).map(({ title, verdict }) => [title, verdict]))
    .toEqual([['finetune_bert.py', 'healthy']]);
  const after = await valueOf(app, 'snapshot.current', null);
  expect(after?.cards[0]?.memoryUsedBytes).toBeLessThan(100 * MiB);
  expect(after?.cards[1]?.memoryUsedBytes).toBeLessThan(100 * MiB);
  expect(after?.alerts.filter(({ rule }) => rule === 'died-on-full-card')).toEqual([]);
  expect((await app.dialogs.asked()).map(({ id }) => id)).toEqual(['free-job', 'free-job']);

  const log = () => readFileSync(path.join(app.userData.folder, 'logs/headroom.log'), 'utf8');
  await expect
    .poll(log)
    .toMatch(/Job \d+-\d+ after [\d.]+ s: .*ended.*none remain, 41406169088 bytes of cards came back\./);
  expect(log()).toMatch(/SIGTERM to pid \d+ \(start \d+, uid \d+, rank 0\): sent\./);
  expect(app.complaints()).toEqual([]);
  await app.screenshot('freed');
});

test('main refuses what was not shown, an unknown job, a healthy one, and everything in read-only mode', async () => {
  const app = await launchApp({ scene: 'orphaned-ranks' });
  await new WorkstationPage(app.window).freeButton(/^train_gpt\.py/).waitFor();
  const stale = await jobCalled(app, 'train_gpt.py');
  const healthy = await jobCalled(app, 'finetune_bert.py');
  const shownOf = (job: typeof stale) =>
    (job?.members ?? []).map(({ process: { pid, startTime } }) => ({ pid, startTime: startTime ?? 0 }));
  const refusal = async (jobId: string, shown: { pid: number; startTime: number }[]) => {
    const reply = await callFromPage(app, 'jobs.free', { jobId, shown });
    return reply.ok ? reply.value : [reply.code, reply.message.key];
  };
  const older = shownOf(stale).map((one) => ({ ...one, startTime: one.startTime - 1 }));
  expect(await refusal(stale?.id ?? '', older)).toEqual(['failed', 'ending.changed']);
  expect(await refusal('1-1', shownOf(stale))).toEqual(['not-found', 'ending.unknownJob']);
  expect(await refusal(healthy?.id ?? '', shownOf(healthy))).toEqual(['failed', 'ending.notStale']);
  await valueOf(app, 'settings.change', { readOnly: true });
  expect(await refusal(stale?.id ?? '', shownOf(stale))).toEqual(['read-only', 'ending.readOnly']);
  expect(await app.dialogs.asked()).toEqual([]);
  expect([...pidsOf(stale), ...pidsOf(healthy)].every(isAlive)).toBe(true);
});

/** Whether a process lives; a zombie does not. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // No such process any more.
    return false;
  }
}
