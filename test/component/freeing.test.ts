import { screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { FreeOutcome } from '../../shared/contract/ending';
import type { Reply } from '../../shared/contract/ipc';
import { message } from '../../shared/i18n/message';
import { GiB } from '../../shared/units';
import { jobRow } from './support/queries';
import { expectAccessible, renderApp, settle } from './support/renderApp';
import { card, job, member, noon, snapshot } from './support/snapshots';

const left = job(
  '5-50',
  [
    member(51, [[0, 20 * GiB]], { role: 'rank', rank: 0 }),
    member(52, [[1, 3 * GiB]], { role: 'rank', rank: 1 }),
  ],
  {
    title: 'left.py',
    memoryBytes: 23 * GiB,
    verdict: 'stale',
    ownedByMe: true,
    reasons: [
      { sign: 'launcher-gone', text: message('stale.launcherGone', { pid: '50', since: 70 }), weight: 0.95 },
    ],
  },
);
const busy = job('6-60', [member(61, [[1, 2 * GiB]])], { title: 'busy.py', ownedByMe: true });
const both = snapshot({ time: noon, cards: [card(0), card(1)], jobs: [left, busy] });
const shown = [
  { pid: 51, startTime: 510 },
  { pid: 52, startTime: 520 },
];

/** The window with a main that answers a wish to free only when told. */
async function opened(settings = {}) {
  let answer: (reply: Reply<FreeOutcome>) => void = () => undefined;
  const app = await renderApp(both, {
    settings,
    prepare: (bridge) => {
      const call = bridge.call.bind(bridge);
      bridge.call = ((name: never, argument: never) => {
        const answered = call(name, argument);
        return (name as string) === 'jobs.free'
          ? new Promise<Reply<FreeOutcome>>((resolve) => (answer = resolve))
          : answered;
      }) as typeof bridge.call;
    },
  });
  const wishes = () => app.bridge.calls.filter(({ name }) => name.startsWith('jobs.'));
  const tell = async (reply: Reply<FreeOutcome>) => {
    answer(reply);
    await settle();
  };
  return { ...app, wishes, tell };
}
const status = () =>
  document.querySelector('[role="status"].notices')?.textContent.replace(/\s+/g, ' ').trim();

test('only the leftover can be freed, by its button, with what was shown', async () => {
  const { wishes, container } = await opened();
  expect(screen.getAllByRole('button', { name: /^Free / }).map((one) => one.textContent.trim())).toEqual([
    'Free 23.0 GiB',
  ]);
  await userEvent.click(screen.getByRole('button', { name: 'Free 23.0 GiB' }));
  expect(wishes()).toEqual([{ name: 'jobs.free', argument: { jobId: '5-50', shown } }]);
  expect(status()).toContain('Waiting for your answer.');
  expect(screen.getByRole('button', { name: 'Free 23.0 GiB' }).hasAttribute('disabled')).toBe(true);
  await expectAccessible(container);
});

test('Delete frees the job in focus, on its own row or one of its processes, and nothing on a healthy one', async () => {
  const { wishes } = await opened();
  jobRow(/^busy/).focus();
  await userEvent.keyboard('{Delete}');
  expect(wishes()).toEqual([]);
  jobRow(/^rank 1/).focus();
  await userEvent.keyboard('{Delete}');
  expect(wishes()).toHaveLength(1);
  await userEvent.keyboard('{Delete}');
  expect(wishes()).toHaveLength(1);
});

test('progress can be cut short, and the result says what came back and what remains', async () => {
  const { bridge, wishes, tell, container } = await opened();
  await userEvent.click(screen.getByRole('button', { name: 'Free 23.0 GiB' }));
  bridge.emit('ending', { jobId: '5-50', progress: { phase: 'asked', left: 2, secondsLeft: 14 } });
  await settle();
  expect(status()).toContain('2 processes were asked to end; waiting 14 sec.');
  await userEvent.click(screen.getByRole('button', { name: 'Do not wait' }));
  expect(wishes().at(-1)).toEqual({ name: 'jobs.doNotWait', argument: { jobId: '5-50' } });
  for (const [progress, text] of [
    [{ phase: 'asking-to-force', left: 1 }, 'asking whether to force them'],
    [{ phase: 'forcing', left: 1 }, 'Forcing 1 process to end.'],
    [{ phase: 'memory' }, 'waiting until nvidia-smi shows the memory free'],
  ] as const) {
    bridge.emit('ending', { jobId: '5-50', progress });
    await settle();
    expect(status()).toContain(text);
  }
  await tell({
    ok: true,
    value: {
      kind: 'done',
      report: {
        ended: [{ pid: 51, signal: 'SIGTERM', result: 'ended' }],
        remaining: [{ pid: 52, why: message('ending.uninterruptible', { pid: '52' }) }],
        memoryBackBytes: 20 * GiB,
        tookSeconds: 17,
      },
    },
  });
  expect(status()).toContain('left.py has ended: 20.0 GiB came back in 17 sec. 1 process remains:');
  expect(status()).toContain('Process 52 waits in the kernel (state D)');
  await expectAccessible(container);
  await userEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(status()).toBe('');
});

test('a refusal is told, and what was called off leaves nothing', async () => {
  const { tell } = await opened();
  await userEvent.click(screen.getByRole('button', { name: 'Free 23.0 GiB' }));
  await tell({ ok: false, code: 'failed', message: message('ending.changed') });
  expect(status()).toContain('The job has changed since it was shown; look at it again.');
  await userEvent.click(screen.getByRole('button', { name: 'Free 23.0 GiB' }));
  await tell({ ok: true, value: { kind: 'cancelled' } });
  expect(status()).toBe('');
});

test('read-only mode and Chinese', async () => {
  const { wishes } = await opened({ readOnly: true, language: 'zh-CN' });
  const button = screen.getByRole('button', { name: '释放 23.0 GiB' });
  expect(button.hasAttribute('disabled')).toBe(true);
  expect(button.title).toBe('Headroom 处于只读模式，不会结束任何进程。');
  jobRow(/^left/).focus();
  await userEvent.keyboard('{Delete}');
  expect(wishes()).toEqual([]);
});

test('another user’s leftover is not offered', async () => {
  await renderApp({ ...both, jobs: [{ ...left, ownedByMe: false }] });
  expect(screen.queryByRole('button', { name: /^Free / })).toBeNull();
});
