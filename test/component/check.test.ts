import { fireEvent, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { check, fileKind } from '../../shared/check/check';
import type { CheckQuestion } from '../../renderer/check/runCheck';
import { expectAccessible, renderApp, settle } from './support/renderApp';

/** A worker as jsdom has none: it checks at once. */
class DirectWorker extends EventTarget {
  postMessage({ id, name, text }: CheckQuestion): void {
    const kind = fileKind(name, text);
    const data = { id, findings: kind === null ? null : check(text, kind) };
    queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data })));
  }
}

beforeEach(() => void vi.stubGlobal('Worker', DirectWorker));

const script =
  'import torch\nimport torch.nn as N\nmodel = N.DataParallel(N.Linear(1, 1))\nfor x in [1]:\n    torch.cuda.empty_cache()\n';

async function openCheck() {
  const app = await renderApp(null);
  app.state.route.go('check');
  await settle();
  return app;
}

async function checked(text = script) {
  const app = await openCheck();
  const user = userEvent.setup();
  await user.click(screen.getByRole('textbox'));
  await user.paste(text);
  await settle();
  return { ...app, user };
}

describe('the script check', () => {
  it('is one paste field until something is in it', async () => {
    const { container } = await openCheck();
    expect(screen.getByRole('textbox').getAttribute('placeholder')).toMatch(/^Paste a training script here/);
    expect(screen.getByRole('button', { name: 'Check this text' }).hasAttribute('disabled')).toBe(true);
    await expectAccessible(container);
  });

  it('shows the findings with their lines, the first one explained', async () => {
    const { container } = await checked();
    expect(screen.getByRole('status').textContent?.trim()).toBe('2 findings, 0 of them errors');
    const list = screen.getByRole('list', { name: 'Findings' });
    expect(
      within(list)
        .getAllByRole('button')
        .map((button) => button.textContent?.replace(/\s+/g, ' ').trim()),
    ).toEqual([
      'nn.DataParallel drives all cards from one process. warning · line 3',
      'empty_cache is called in a loop. warning · line 5',
    ]);
    expect(screen.getByRole('region', { name: 'uses-data-parallel' }).textContent).toContain(
      'torchrun --nproc-per-node=gpu',
    );
    expect(screen.getByRole('button', { name: 'Line 5: empty-cache-in-loop' })).toBeTruthy();
    await expectAccessible(container);
  });

  it('moves through the findings with arrows and by the marks', async () => {
    const { user } = await checked();
    const [first] = within(screen.getByRole('list', { name: 'Findings' })).getAllByRole('button');
    first?.focus();
    await user.keyboard('{ArrowDown}');
    expect(screen.getByRole('region', { name: 'empty-cache-in-loop' })).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Line 3: uses-data-parallel' }));
    expect(screen.getByRole('region', { name: 'uses-data-parallel' })).toBeTruthy();
  });

  it('keeps what was pasted when another place is shown, and when another script is wanted', async () => {
    const { state, user } = await checked();
    state.route.go('workstation');
    await settle();
    state.route.go('check');
    await settle();
    expect(screen.getByRole('status').textContent).toContain('2 findings');
    await user.click(screen.getByRole('button', { name: 'Check another' }));
    expect((screen.getByRole('textbox') as HTMLTextAreaElement).value).toBe(script);
  });

  const source = ['import torch\n', 'm = torch.nn.DataParallel(torch.nn.Linear(1, 1))'];
  const words = { cell_type: 'markdown', source: 'Two cards.' };
  it.each([
    ['of today', { cells: [words, { cell_type: 'code', source }], nbformat: 4 }],
    [
      'of nbformat 3',
      { worksheets: [{ cells: [words, { cell_type: 'code', input: source }] }], nbformat: 3 },
    ],
  ])('reads a dropped file as bytes, a notebook %s by its cells', async (_which, notebook) => {
    await openCheck();
    const file = new File([JSON.stringify(notebook)], 'train.ipynb');
    await fireEvent.drop(screen.getByRole('group', { name: /^Script/ }), {
      dataTransfer: { files: [file], items: [] },
    });
    await screen.findByRole('heading', { name: 'train.ipynb' });
    expect(screen.getByText('warning · cell 2, line 2')).toBeTruthy();
    const mark = screen.getByRole('button', { name: /uses-data-parallel/ });
    expect(mark.closest('li')?.textContent).toContain(source[1]);
  });

  it('says so where a folder is dropped, or a file that cannot be read', async () => {
    const { state } = await openCheck();
    const group = screen.getByRole('group', { name: /^Script/ });
    const folder = { webkitGetAsEntry: () => ({ isDirectory: true, name: 'runs' }) };
    await fireEvent.drop(group, { dataTransfer: { files: [new File([], 'runs')], items: [folder] } });
    expect(screen.getByRole('alert').textContent).toBe('runs is a folder. Drop a file.');
    const gone = new File(['x'], 'gone.py');
    gone.arrayBuffer = () => Promise.reject(new DOMException('gone', 'NotFoundError'));
    await fireEvent.drop(group, { dataTransfer: { files: [gone], items: [] } });
    await expect.poll(() => screen.getByRole('alert').textContent).toBe('gone.py could not be read.');
    expect(state.route.place).toBe('check');
    await fireEvent.drop(group, { dataTransfer: { files: [new File([script], 'train.py')], items: [] } });
    await screen.findByRole('heading', { name: 'train.py' });
  });

  it('says so where nothing is found, and where nothing can be checked', async () => {
    const { state } = await checked('import os\nprint(os.name)\n');
    expect(screen.getAllByText('Nothing found').length).toBeGreaterThan(0);
    await state.check.check('\u0000\u0001', 'a.png');
    await settle();
    expect(screen.getByRole('alert').textContent).toContain('nothing that can be checked');
  });

  it('speaks Chinese', async () => {
    const { state } = await renderApp(null, { settings: { language: 'zh-CN' } });
    state.route.go('check');
    await state.check.check(script, 'train.py');
    await settle();
    expect(screen.getByRole('status').textContent?.trim()).toBe('2 个发现，其中 0 个错误');
  });
});
