import { screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { SnapshotQuestion, SnapshotReply } from '../../renderer/doctor/snapshot/runSnapshot';
import { SnapshotDesk } from '../../renderer/doctor/snapshot/snapshotDesk';
import { showing, zoomed } from '../../shared/memorySnapshot/view/zoom';
import { packedSnapshot, snapshotBytes } from '../unit/shared/memorySnapshot/support';
import { expectAccessible, renderApp } from './support/renderApp';
import { snapshot } from './support/snapshots';

/** A worker as jsdom has none: it reads in the page. */
class DirectWorker extends EventTarget {
  readonly #desk = new SnapshotDesk();

  postMessage(question: SnapshotQuestion): void {
    void this.#desk.answer(question, (data: SnapshotReply) =>
      this.dispatchEvent(new MessageEvent('message', { data })),
    );
  }

  terminate(): void {
    // Nothing runs on.
  }
}

beforeEach(() => void vi.stubGlobal('Worker', DirectWorker));

/** A file as the page gets one; jsdom's has no bytes to slice asynchronously in every version. */
const fileOf = (name: string, bytes: Uint8Array): File => new File([Uint8Array.from(bytes)], name);

async function open(name: string, bytes: Uint8Array, language: 'en' | 'zh-CN' = 'en') {
  const app = await renderApp(snapshot(), { settings: { language } });
  app.state.follow({ place: 'doctor', gpuIndex: null, jobId: null });
  await screen.findByRole('textbox');
  expect(await app.state.memorySnapshot.take(fileOf(name, bytes))).toBe(true);
  return app;
}

describe('a memory snapshot in the doctor', () => {
  it('shows what grows, the peak, and who held it', async () => {
    const { container } = await open('leak.pickle.xz', packedSnapshot('leak-losses'));
    expect(await screen.findByText('Memory grows by 1.0 GiB a step.')).toBeTruthy();
    expect(screen.getByText('13.9 GiB')).toBeTruthy();
    // By selectors: roles of some thousand frames take jsdom minutes.
    expect(container.querySelector('main .scroll caption')?.textContent).toBe('Who held the peak, at 2.46 s');
    expect(container.querySelector('main .scroll tbody tr')?.textContent).toContain(
      'functional.py:3504:cross_entropy ← snapshots.py:36:case',
    );
  });

  it('is accessible', async () => {
    const { container } = await open('plain.pickle.xz', packedSnapshot('no-context'));
    await expectAccessible(container);
  });

  it('moves by keys to another moment, and back to the peak', async () => {
    const user = userEvent.setup();
    const { state } = await open('plain.pickle', snapshotBytes('plain'));
    const cursor = await screen.findByRole('slider');
    cursor.focus();
    await user.keyboard('{Home}');
    expect(state.memorySnapshot.event).toBe(0);
    await user.keyboard('+');
    await vi.waitFor(() => expect(state.memorySnapshot.range).toEqual({ from: 0, to: 4521 }));
    await user.keyboard('0{Escape}');
    expect(state.memorySnapshot.event).toBeNull();
    expect(cursor.getAttribute('aria-valuetext')).toContain('2.6 GiB');
  });

  it('says in one sentence what cannot be read, in Chinese too, and lets another be read', async () => {
    const { state } = await open(
      'bad.pickle',
      Buffer.from('\x80\x04\x8c\x05posix\x8c\x06system\x93.', 'latin1'),
      'zh-CN',
    );
    expect((await screen.findByRole('alert')).textContent).toContain('posix.system');
    await userEvent.setup().click(screen.getByRole('button', { name: '读取另一个' }));
    expect(state.memorySnapshot.isOpen).toBe(false);
  });

  it('leaves texts to the doctor', async () => {
    const { state } = await renderApp(snapshot());
    expect(await state.memorySnapshot.take(fileOf('train.log', Buffer.from('loss 2.1')))).toBe(false);
    expect(state.memorySnapshot.isOpen).toBe(false);
  });
});

describe('zooming', () => {
  it('keeps the place of what is looked at, and stays within the history', () => {
    expect(zoomed({ from: 0, to: 1000 }, 500, 0.5, 1000)).toEqual({ from: 250, to: 750 });
    expect(zoomed({ from: 0, to: 1000 }, 0, 0.5, 1000)).toEqual({ from: 0, to: 500 });
    expect(zoomed({ from: 500, to: 1000 }, 1000, 4, 1000)).toEqual({ from: 0, to: 1000 });
    expect(zoomed({ from: 10, to: 30 }, 20, 0.5, 1000)).toEqual({ from: 10, to: 30 });
    expect(zoomed({ from: 0, to: 5 }, 2, 0.5, 5)).toEqual({ from: 0, to: 5 });
  });

  it('follows an entry that is not shown', () => {
    expect(showing({ from: 0, to: 100 }, 50, 1000)).toEqual({ from: 0, to: 100 });
    expect(showing({ from: 0, to: 100 }, 500, 1000)).toEqual({ from: 450, to: 550 });
    expect(showing({ from: 0, to: 100 }, 999, 1000)).toEqual({ from: 900, to: 1000 });
  });
});
