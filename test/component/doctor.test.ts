import { fireEvent, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { findMatches, segmentsOf, shownText } from '../../renderer/doctor/logText';
import { excerptOf, readSource } from '../../renderer/doctor/readSource';
import type { DoctorQuestion, DoctorReply } from '../../renderer/doctor/runDoctor';
import { diagnosisLines } from '../../electron/commands/doctorText';
import { diagnose } from '../../shared/doctor/reader';
import { suspectedOomExitsBetween } from '../../shared/doctor/suspectedOomExit';
import { GiB } from '../../shared/units';
import { expectAccessible, renderApp, settle } from './support/renderApp';
import { card, job, member, noon, snapshot } from './support/snapshots';

/** A worker as jsdom has none: it reads in the page. A question with "never" in it is not answered. */
class DirectWorker extends EventTarget {
  static terminated = 0;

  postMessage(question: DoctorQuestion): void {
    const answer = (data: DoctorReply): void =>
      void this.dispatchEvent(new MessageEvent('message', { data }));
    const { id, source } = question;
    if (typeof source === 'string' && source.includes('never answered')) return;
    const work =
      question.kind === 'read'
        ? readSource(source, (share) => answer({ id, kind: 'progress', share })).then((reading) =>
            answer({ id, kind: 'reading', reading }),
          )
        : excerptOf(source, question.line).then((excerpt) => answer({ id, kind: 'excerpt', excerpt }));
    work.catch((error: unknown) => answer({ id, kind: 'failed', reason: String(error) }));
  }

  terminate(): void {
    DirectWorker.terminated += 1;
  }
}

beforeEach(() => void vi.stubGlobal('Worker', DirectWorker));

const oom =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 24.00 GiB of which 512.00 MiB is free. Process 851 has 18.00 GiB memory in use. Including non-PyTorch memory, this process has 5.50 GiB memory in use. Of the allocated memory 4.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated.';
const waiting =
  '[rank5]:[E ProcessGroupNCCL.cpp:563] [Rank 5] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=15734, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600037 milliseconds before timing out.';

const full = snapshot({
  cards: [card(0, { memoryUsedBytes: 23.6 * GiB })],
  processes: [
    {
      gpuIndex: 0,
      gpuUuid: null,
      pid: 41,
      type: 'C',
      name: 'python',
      usedBytes: 23 * GiB,
      gpuInstance: null,
      computeInstance: null,
    },
  ],
  jobs: [job('j', [member(41, [[0, 23 * GiB]])])],
});
/** What main tells where that process is gone a second later. */
const ended = suspectedOomExitsBetween(full, snapshot({ time: noon + 1, cards: [card(0)] }));

async function openDoctor(...given: Parameters<typeof renderApp>) {
  const app = await renderApp(...given);
  app.state.route.go('doctor');
  await settle();
  return app;
}

async function read(text: string) {
  const app = await openDoctor(null);
  const user = userEvent.setup();
  await user.click(screen.getByRole('textbox'));
  await user.paste(text);
  await expect.poll(() => app.state.doctor.diagnosis).not.toBeNull();
  await settle();
  return { ...app, user };
}

describe('the doctor', () => {
  it('is one paste field until something is in it', async () => {
    const { container } = await openDoctor(null);
    expect(screen.getByRole('textbox').getAttribute('placeholder')).toMatch(/^Paste a traceback/);
    expect(screen.getByRole('button', { name: 'Read this text' }).hasAttribute('disabled')).toBe(true);
    await expectAccessible(container);
  });

  it('hands the cards of the text to the wizard', async () => {
    const { bridge, state, user } = await read(`[rank1]: ${oom}\n`);
    await user.click(screen.getByRole('button', { name: 'Plan with these cards' }));
    await settle();
    expect(state.route.place).toBe('plan');
    // Two ranks were seen; another process held all but 6 GiB of the card.
    expect(bridge.plan?.cards).toEqual({ kind: 'given', text: '2 x 6144 MiB', cardName: null });
  });

  it('hands on the model that the text names; where it names none, the one to plan for is in sight', async () => {
    const loaded = 'model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-13b-hf")';
    const { bridge, state, user } = await read(`${loaded}\n${oom}\n`);
    await user.click(screen.getByRole('button', { name: 'Plan with these cards' }));
    await settle();
    expect(bridge.plan?.model).toEqual({ kind: 'catalogue', id: 'llama-2-13b' });
    expect(state.plan.openStep).toBeNull();

    await state.doctor.read(oom, null);
    state.route.go('doctor');
    await settle();
    await user.click(screen.getByRole('button', { name: 'Plan with these cards' }));
    await settle();
    expect(bridge.plan?.model).toEqual({ kind: 'catalogue', id: 'llama-2-13b' });
    expect(state.plan.openStep).toBe('model');
  });

  it('shows the card as a bar, the cause with its evidence, steps to copy, and what does not help', async () => {
    const { container } = await read(`loading\n${oom}\n`);
    expect(screen.getAllByRole('status')[0]?.textContent).toContain('Failures found: 1. Lines read: 2.');
    expect(screen.getByRole('img').getAttribute('aria-label')).toBe(
      'Card of 24.0 GiB: Tensors 4.0 GiB, Reserved, not in use 1.0 GiB, CUDA context 512 MiB, Outside this process 18.0 GiB, Asked for 2.0 GiB',
    );
    const report = screen.getByRole('region', { name: /^Line 2: Out of GPU memory/ });
    expect(within(report).getByRole('heading', { level: 2 }).textContent).toMatch(
      /^(?:Likely: )?Another process holds most of the missing memory \(GPU 0, 2\.0 GiB asked for, /,
    );
    expect(within(report).getByText(/^Do first: /)).toBeTruthy();
    expect(within(report).getAllByText('Process 851 holds 18.0 GiB.').length).toBeGreaterThan(0);
    expect(within(report).getAllByRole('button', { name: 'Copy: headroom stale' }).length).toBeGreaterThan(0);
    expect(within(report).getByText(/^Ending all Python processes by name/)).toBeTruthy();
    expect(report.querySelectorAll('details').length).toBeGreaterThan(0);
    expect([...report.querySelectorAll('details')].some((fold) => fold.open)).toBe(false);
    await expectAccessible(container);
  });

  it.each([
    `loading\n${oom}\n`,
    'RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.\n',
    '=>> PBS: job killed: mem 34603008kb exceeded limit 33554432kb\n',
    'c++: fatal error: Killed signal terminated program cc1plus\n',
  ])('says first what the command says first, and how likely a rival is in words: %s', async (text) => {
    await read(text);
    const [diagnosis, first] = diagnosisLines(diagnose(text), 'en');
    const [report] = screen.getAllByRole('region', { name: /^Line \d/ });
    if (report === undefined) throw new Error('no report');
    expect(within(report).getByRole('heading', { level: 2 }).textContent).toBe(diagnosis);
    expect(within(report).getByText(/^Do first: /).textContent).toBe(first);
    const rivals = [...report.querySelectorAll('summary')].map(({ textContent }) => textContent);
    expect(rivals.filter((rival) => rival.includes('%'))).toEqual([]);
  });

  it('says what an error means that is no matter of memory', async () => {
    await read('RuntimeError: expected scalar type Half but found Float\n');
    const report = screen.getByRole('region', { name: /^Line 1: Not a matter of memory/ });
    expect(within(report).getByRole('heading', { level: 2 }).textContent).toMatch(
      /^Not a matter of memory: Two tensors of one operation have different types/,
    );
  });

  it('marks the line in the text and finds words in it', async () => {
    const { user } = await read(`loading\n${oom}\n`);
    const text = screen.getByRole('region', { name: 'The text' });
    const marked = text.querySelector('li.failed');
    expect(marked?.querySelector('.number')?.textContent).toBe('2');
    await user.type(screen.getByRole('textbox', { name: 'Find in the text' }), 'MEMORY in use');
    expect(screen.getByText('1 of 2')).toBeTruthy();
    await user.keyboard('{Enter}');
    expect(screen.getByText('2 of 2')).toBeTruthy();
    expect(text.querySelectorAll('mark')).toHaveLength(2);
    expect(text.querySelector('mark.current')?.textContent).toBe('memory in use');
    await user.type(screen.getByRole('textbox', { name: 'Find in the text' }), 'x');
    expect(screen.getByText('Not found')).toBeTruthy();
  });

  it('names the failure that the others follow from, and shows another by arrow', async () => {
    const { user } = await read(`${waiting}\n[rank2]: ${oom}\n`);
    const buttons = within(screen.getByRole('list', { name: 'Failures' })).getAllByRole('button');
    expect(buttons.map((button) => button.textContent?.replace(/\s+/g, ' ').trim())).toEqual([
      'Line 1, rank 5: One rank ran out of memory; the NCCL messages follow from that.',
      'Line 2, rank 2: Another process holds most of the missing memory. · first failure',
    ]);
    expect(buttons[1]?.getAttribute('aria-current')).toBe('true');
    buttons[1]?.focus();
    await user.keyboard('{ArrowUp}');
    await settle();
    expect(screen.getByRole('region', { name: /^Line 1, rank 5: Communication/ })).toBeTruthy();
  });

  it('reads a dropped file from its bytes, also in UTF-16', async () => {
    const { state } = await openDoctor(null);
    const bytes = Uint8Array.from([...`${oom}\r\n`].flatMap((character) => [character.charCodeAt(0), 0]));
    const file = new File([bytes], 'train.log');
    await fireEvent.drop(screen.getByRole('group', { name: /^Failure text/ }), {
      dataTransfer: { files: [file], items: [] },
    });
    await expect.poll(() => state.doctor.diagnosis).not.toBeNull();
    await settle();
    expect(screen.getByRole('heading', { name: 'train.log' })).toBeTruthy();
    expect(state.doctor.failure?.facts.triedBytes).toBe(2 * GiB);
  });

  it('shows the part around the failure of a large file, and of another failure when that is chosen', async () => {
    const { state } = await openDoctor(null);
    const steps = 'step loss 2.1 and some more words to make the line longer than it needs to be\n'.repeat(
      30_000,
    );
    await state.doctor.read(new File([`${oom}\n${steps}[rank3]: ${oom}\n`], 'long.log'), 'long.log');
    await settle();
    expect(state.doctor.excerpt?.firstLine).toBe(1);
    expect(screen.getByText(/^Lines 1 to [\d,]+ of 30,002$/)).toBeTruthy();
    await state.doctor.choose(1);
    expect(state.doctor.excerpt?.text.endsWith(oom)).toBe(true);
  });

  it('says so where nothing is found, and keeps what was pasted', async () => {
    const text = 'all is well in this log of some length\nstep 2\n';
    const { user } = await read(text);
    expect(screen.getByText('No failure found')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Read another' }));
    expect((screen.getByRole('textbox') as HTMLTextAreaElement).value).toBe(text);
  });

  it('can be stopped while it reads', async () => {
    const { state } = await openDoctor(null);
    const user = userEvent.setup();
    await user.click(screen.getByRole('textbox'));
    await user.paste('this text is never answered by the worker\nat all');
    await settle();
    expect(screen.getByRole('progressbar')).toBeTruthy();
    const before = DirectWorker.terminated;
    await user.click(screen.getByRole('button', { name: 'Stop' }));
    expect(DirectWorker.terminated).toBe(before + 1);
    expect(state.doctor.progress).toBeNull();
    expect(screen.queryByRole('progressbar')).toBeNull();
  });

  it('drops a text that is still being read when another one comes', async () => {
    const { state } = await openDoctor(null);
    void state.doctor.read('this text is never answered by the worker', 'first.log');
    const before = DirectWorker.terminated;
    await state.doctor.read(oom, 'second.log');
    expect(DirectWorker.terminated).toBe(before + 1);
    expect([state.doctor.name, state.doctor.progress]).toEqual(['second.log', null]);
    expect(state.doctor.failure).not.toBeNull();
  });

  it('says of a file that it is no text, and shows none of it', async () => {
    const { state } = await openDoctor(null);
    const packed = new File([Uint8Array.from({ length: 4096 }, (_, at) => (at * 37) % 256)], 'checkpoint.pt');
    await state.doctor.read(packed, 'checkpoint.pt');
    await settle();
    expect(screen.getByRole('alert').textContent).toContain('checkpoint.pt is no text');
    expect(state.doctor.diagnosis).toBeNull();
    expect(screen.getByRole('textbox')).toBeTruthy();
    await state.doctor.read(oom, null);
    await settle();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('says so when reading fails, and reports it', async () => {
    const { state, bridge } = await openDoctor(null);
    const broken = new File(['x'], 'broken.log');
    broken.slice = () => {
      throw new Error('gone');
    };
    await state.doctor.read(broken, 'broken.log');
    await settle();
    expect(screen.getByRole('alert').textContent).toContain('The text could not be read');
    expect(bridge.calls.some(({ name }) => name === 'log.rendererError')).toBe(true);
  });

  it('tells what it saw of an end on a full card, filled in, and joins it to a text', async () => {
    const { state, bridge, container } = await openDoctor(full);
    bridge.emit('alerts', { history: [], snoozedUntil: {}, oomExits: ended });
    await settle();
    const report = screen.getByRole('region', { name: /^Seen by Headroom at .*: Out of GPU memory$/ });
    expect(within(report).getByRole('heading', { level: 2 }).textContent).toMatch(
      /^Likely: The process’s own tensors fill the card/,
    );
    expect(within(report).getByText(/^Headroom saw it: train.py \(pid 41\)/)).toBeTruthy();
    expect(within(report).getAllByRole('button', { name: /^Copy: / }).length).toBeGreaterThan(0);
    expect(screen.getByRole('textbox')).toBeTruthy();
    await expectAccessible(container);

    await state.doctor.read(oom, null);
    await settle();
    expect(screen.getByText(/^Headroom saw it: train.py \(pid 41\)/)).toBeTruthy();

    // It failed on this machine, so the plan is for its cards as they are, not for a card of the text's size.
    await userEvent.setup().click(screen.getByRole('button', { name: 'Plan this job' }));
    await settle();
    expect(state.route.place).toBe('plan');
    expect(bridge.plan?.cards).toEqual({ kind: 'detected', memory: 'free', leftOut: [] });
  });

  it('an alert leads to its end in place of a text read before; what was seen can be put aside', async () => {
    const { state, bridge } = await openDoctor(full);
    bridge.emit('alerts', { history: [], snoozedUntil: {}, oomExits: ended });
    await state.doctor.read(oom, null);
    await settle();
    bridge.emit('navigate', { place: 'doctor', gpuIndex: 0, jobId: 'j' });
    await settle();
    expect(screen.getByRole('region', { name: /^Seen by Headroom/ })).toBeTruthy();
    await userEvent.setup().click(screen.getByRole('button', { name: 'Put aside' }));
    expect(screen.queryByRole('region', { name: /^Seen by Headroom/ })).toBeNull();
    expect(screen.getByRole('textbox')).toBeTruthy();
  });

  it('speaks Chinese', async () => {
    const { state } = await openDoctor(null, { settings: { language: 'zh-CN' } });
    await state.doctor.read(oom, null);
    await settle();
    expect(screen.getByText(/^(?:很可能：)?缺少的显存大部分被另一个进程占用（GPU 0/)).toBeTruthy();
    expect(screen.getByText('在这里没用的做法')).toBeTruthy();
  });
});

describe('the text of the doctor', () => {
  it('finds in either case of letters and cuts lines at what it found', () => {
    const matches = findMatches(['Out of memory', 'memory, Memory'], 'MEMORY');
    expect(matches).toEqual([
      { line: 0, from: 7, to: 13 },
      { line: 1, from: 0, to: 6 },
      { line: 1, from: 8, to: 14 },
    ]);
    expect(segmentsOf('memory, Memory', matches.slice(1), matches[2] ?? null)).toEqual([
      { text: 'memory', isMatch: true, isChosen: false },
      { text: ', ', isMatch: false, isChosen: false },
      { text: 'Memory', isMatch: true, isChosen: true },
    ]);
    expect(findMatches(['x'], '')).toEqual([]);
    expect(segmentsOf('', [], null)).toEqual([{ text: '', isMatch: false, isChosen: false }]);
  });

  it('shows control characters as marks', () => {
    expect(shownText('\u001b[31mred\tend')).toBe('·[31mred    end');
  });
});
