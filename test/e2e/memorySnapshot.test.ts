import { copyFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { launchApp } from './harness/launchApp';
import { SnapshotPage } from './pages/SnapshotPage';

describe('a memory snapshot in the real app', () => {
  it('is unpacked and read in its worker, and followed by keys; a pickle with a class is refused by its name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headroom-snapshot-'));
    chmodSync(folder, 0o755);
    try {
      const leak = join(folder, 'leak.pickle.xz');
      copyFileSync(resolve('test/fixtures/memorySnapshots/leak-losses.pickle.xz'), leak);
      const hostile = join(folder, 'hostile.pickle');
      writeFileSync(hostile, Buffer.from('\x80\x04\x8c\x05posix\x8c\x06system\x93.', 'latin1'));
      const app = await launchApp({ scene: 'two-3090-oom' });
      const page = new SnapshotPage(app.window);
      await page.open();

      await page.openFile(hostile);
      await page.refusal.waitFor();
      expect(await page.refusal.innerText()).toContain('posix.system');

      await page.openFile(leak);
      await page.rows.first().waitFor();
      expect(await page.notice.innerText()).toContain('Memory grows by 1.0 GiB a step.');
      expect(await page.notice.innerText()).toContain('snapshots.py:36:case');
      expect(await page.rows.first().innerText()).toContain('4.6 GiB');
      await page.cursor.press('Home');
      await expect.poll(() => page.cursor.getAttribute('aria-valuetext')).toContain('0.00 s');
      await page.cursor.press('+');
      await expect.poll(() => page.chart.getAttribute('aria-label')).toMatch(/entries 1 to 7,666;/);
      expect(app.complaints()).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
