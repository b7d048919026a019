import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { launchApp } from './harness/launchApp';
import { CheckPage } from './pages/CheckPage';

const good = join(import.meta.dirname, '../fixtures/check/good');
const faulty =
  'import torch\nimport torch.nn as N\nmodel = N.DataParallel(N.Linear(1, 1))\ntotal = 0\n' +
  'for x in [1]:\n    loss = model(x)\n    total += loss\n    loss.backward()\n    torch.cuda.empty_cache()\n';

describe('the script check in the real app', () => {
  it('checks a pasted script in its worker, under the page’s strict policy', async () => {
    const app = await launchApp({ scene: 'two-3090-oom' });
    const page = new CheckPage(app.window);
    await page.open();
    await page.submit(faulty);
    expect((await page.findings.allInnerTexts()).map((text) => text.split('\n')[0])).toEqual([
      'nn.DataParallel drives all cards from one process.',
      'Losses are kept together with their graph.',
      'empty_cache is called in a loop.',
    ]);
    expect(app.complaints()).toEqual([]);
  });

  it('finds nothing in a well-written script, in Chinese', async () => {
    const app = await launchApp({
      scene: 'two-3090-oom',
      locale: 'zh-CN',
      theme: 'dark',
      size: { width: 900, height: 600 },
    });
    const page = new CheckPage(app.window);
    await page.open();
    await page.submit(readFileSync(join(good, 'ddp.py'), 'utf8'));
    expect(await app.window.getByRole('status').innerText()).toBe('没有发现问题');
  });
});
