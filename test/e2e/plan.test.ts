import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parser } from '@lezer/python';
import { describe, expect, it, onTestFinished } from 'vitest';
import { launchApp } from './harness/launchApp';
import { PlanPage } from './pages/PlanPage';
import { Shell } from './pages/Shell';

/** A folder that the app, which may run as another user, can write to. */
function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-plan-'));
  chmodSync(folder, 0o777);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Where Python's grammar breaks in a text; empty: nowhere. */
function faultsOf(text: string): number[] {
  const faults: number[] = [];
  parser.parse(text).iterate({
    enter: ({ from, type }) => {
      if (type.isError) faults.push(text.slice(0, from).split('\n').length);
    },
  });
  return faults;
}

describe('the story of two RTX 3090 and Llama-2 13B', () => {
  it('refuses copies with the arithmetic, offers what fits, and writes files that run', async () => {
    const app = await launchApp({ scene: 'two-3090-oom' });
    const page = new PlanPage(app.window);
    await page.open();
    await page.answer('llama 2 13b', 1024);
    await page.planned();
    expect(await page.step('model').innerText()).toContain('Llama 2 13B · 13B');
    expect(await page.step('cards').innerText()).toContain('2 × RTX 3090, 23.');
    expect(await page.step('method').innerText()).toContain('Full fine-tuning');

    // Full fine-tuning: what each card would have to hold is more than it has.
    await page.openRefused();
    const reasons = await page.refused.innerText();
    expect(reasons).toContain(
      'DDP keeps a full copy on every card: 13B parameters take 48.5 GiB as weights, 48.5 GiB as gradients and 97.0 GiB in the optimizer, 194.0 GiB before any activation',
    );
    expect(reasons).toContain(
      'DataParallel keeps weights, gradients and optimizer on its first card: 48.5 GiB + 48.5 GiB + 97.0 GiB = 194.0 GiB',
    );
    // A bf16 copy with adapters on every card has no room for one sample.
    expect(reasons).toContain('24.5 GiB as weights');

    // What fits trains adapters, and says so.
    expect(await page.grid.innerText()).toContain('Trains something else instead');
    const sharded = page
      .row(/FSDP, full shards/)
      .filter({ hasText: 'LoRA r16' })
      .first();
    const quantised = page.row(/QLoRA r16/).first();
    for (const row of [sharded, quantised]) expect(await row.innerText()).toContain('fits');
    expect(await quantised.innerText()).toContain('experimental');

    // The files of the chosen one.
    await sharded.click();
    await page.openStep('files');
    const folder = openFolder();
    await app.dialogs.answerNext(folder);
    await page.window.getByRole('button', { name: 'Save the files' }).click();
    await page.window.getByText(`Saved in ${folder}`, { exact: true }).waitFor();
    const names = readdirSync(folder).sort();
    expect(names).toEqual(
      expect.arrayContaining([
        'README.md',
        'accelerate.yaml',
        'config.json',
        'launch.sh',
        'requirements.txt',
        'train.py',
      ]),
    );
    const script = readFileSync(join(folder, 'train.py'), 'utf8');
    expect(faultsOf(script)).toEqual([]);
    expect(script).toContain('fully_shard');
    expect(faultsOf('def broken(:\n')).not.toEqual([]);
    expect(statSync(join(folder, 'launch.sh')).mode & 0o100).toBe(0o100);
    expect(app.complaints()).toEqual([]);
  });

  it('judges LoRA on every card, and replaces files only after a yes', async () => {
    const app = await launchApp({ scene: 'two-3090-oom' });
    const page = new PlanPage(app.window);
    await page.open();
    await page.answer('llama 2 13b', 1024);
    await page.openStep('method');
    await page.pick('LoRA');
    await page.field('Precision').selectOption({ label: 'bf16' });
    await page.field('Activations').selectOption({ label: 'activations recomputed' });
    await page.planned();
    await page.openRefused();
    expect(await page.refused.innerText()).toContain('DDP, full copies, LoRA');
    expect(
      await page
        .row(/FSDP, full shards/)
        .first()
        .innerText(),
    ).toContain('fits');
    expect(await page.grid.innerText()).not.toContain('DDP, full copies');

    const folder = openFolder();
    writeFileSync(join(folder, 'train.py'), 'mine');
    await page.openStep('files');
    await app.dialogs.answerNext(folder);
    await page.window.getByRole('button', { name: 'Save the files' }).click();
    await expect.poll(async () => (await app.dialogs.asked()).length).toBe(2);
    expect((await app.dialogs.asked())[1]).toMatchObject({ id: 'replace-plan-files', detail: 'train.py' });
    expect(readFileSync(join(folder, 'train.py'), 'utf8')).toBe('mine');
    expect(readdirSync(folder)).toEqual(['train.py']);
  });

  it('is one click away from what is uneven, with the model that the job names', async () => {
    const app = await launchApp({ scene: 'two-3090-oom' });
    const page = new PlanPage(app.window);
    await app.window.getByRole('button', { name: 'Plan this job on 2 cards' }).click();
    await page.planned();
    expect(await page.step('model').innerText()).toContain('Llama 2 13B');
    await page.openStep('cards');
    await page.window.getByText('As if finetune.py had ended.').waitFor();
  });
});

describe('the wizard', () => {
  it('is used by the keyboard alone', async () => {
    const app = await launchApp({ scene: 'two-3090-oom' });
    const page = new PlanPage(app.window);
    const shell = new Shell(app.window);
    const { keyboard } = app.window;
    await page.open();
    await shell.tabTo(/^1 Model/);
    await keyboard.press('Enter');
    await shell.pressTo('/', /^Search models$/);
    await keyboard.type('tinyllama');
    await page.window.locator('main li button').first().waitFor();
    await keyboard.press('Enter');
    await expect.poll(() => page.step('model').innerText()).toContain('TinyLlama 1.1B');
    await shell.tabTo(/^Next: Cards$/);
    await shell.pressTo('Enter', /^2 Cards 2 × RTX 3090/);
    await shell.pressTo('Tab', /^This machine$/);
    await keyboard.press('ArrowRight');
    await expect.poll(() => page.step('cards').innerText()).toContain('2 × RTX 3090, 24.0 GiB');
    await shell.tabTo(/^Next: Data and batch$/);
    await shell.pressTo('Enter', /^3 Data and batch/);
    await shell.pressTo('Tab', /^Tokens of a sample$/);
    await keyboard.press('Control+A');
    await keyboard.type('512');
    await expect.poll(() => page.step('data').innerText()).toContain('batch 16, 512 tokens');
    await page.planned();
    await shell.tabTo(/^fits/);
    await shell.pressTo('ArrowDown', /^(?:fits|tight)/);
    await keyboard.press('Enter');
    await expect.poll(() => page.rows.nth(1).getAttribute('aria-selected')).toBe('true');
    await keyboard.press('ArrowDown');
    await keyboard.press('c');
    await expect.poll(() => page.rows.nth(2).getByRole('button').getAttribute('aria-pressed')).toBe('true');
    expect(app.complaints()).toEqual([]);
  });

  it('has its answers again after a restart', async () => {
    const first = await launchApp({ scene: 'two-3090-oom' });
    const page = new PlanPage(first.window);
    await page.open();
    await page.chooseModel('smollm');
    await page.openStep('data');
    await page.field('Tokens of a sample').fill('256');
    await expect.poll(() => page.step('data').innerText()).toContain('256 tokens');
    await first.quit();
    const second = await launchApp({ userData: first.userData });
    const again = new PlanPage(second.window);
    await again.open();
    await expect.poll(() => again.step('model').innerText()).toContain('SmolLM 135M');
    await expect.poll(() => again.step('data').innerText()).toContain('256 tokens');
  });
});
