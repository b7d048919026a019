import { mkdtempSync, openSync, writeSync, closeSync, chmodSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { launchApp } from './harness/launchApp';
import { DoctorPage } from './pages/DoctorPage';

const oom =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 24.00 GiB of which 512.00 MiB is free. Process 851 has 18.00 GiB memory in use. Including non-PyTorch memory, this process has 5.50 GiB memory in use. Of the allocated memory 4.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated.';

/** A log of so many bytes, with the failure in its middle. Returns the failure's line. */
function writeLog(file: string, bytes: number): number {
  const block = 'step 1200 loss 2.113 memory allocated 12.3 GiB reserved 14 GiB\n'.repeat(16_000);
  const blocks = Math.ceil(bytes / block.length / 2);
  const descriptor = openSync(file, 'w');
  for (let index = 0; index < 2 * blocks; index += 1) {
    if (index === blocks) writeSync(descriptor, `[rank2]: ${oom}\n`);
    writeSync(descriptor, block);
  }
  closeSync(descriptor);
  return blocks * 16_000 + 1;
}

describe('the doctor in the real app', () => {
  it('reads a pasted text in its worker, under the page’s strict policy', async () => {
    const app = await launchApp({ scene: 'two-3090-oom' });
    const page = new DoctorPage(app.window);
    await page.open();
    await page.submit(`loading the model\nTraceback (most recent call last):\n${oom}\n`);
    expect(await page.cause.innerText()).toMatch(/Another process holds most of the missing memory \(/);
    expect(await page.bar.getAttribute('aria-label')).toContain('Outside this process 18.0 GiB');
    expect(await page.markedLine.innerText()).toContain('CUDA out of memory');
    expect(app.complaints()).toEqual([]);
  });

  it('reads a log of 100 MB without holding up the page, in Chinese', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headroom-log-'));
    chmodSync(folder, 0o755);
    try {
      const file = join(folder, 'train.log');
      const line = writeLog(file, 100e6);
      const app = await launchApp({
        scene: 'two-3090-oom',
        locale: 'zh-CN',
        theme: 'dark',
        size: { width: 900, height: 600 },
      });
      const page = new DoctorPage(app.window);
      await page.open();
      await page.openFile(file);
      expect(await page.cause.innerText()).toMatch(/缺少的显存大部分被另一个进程占用（/);
      expect(await page.markedLine.innerText()).toContain(`${line}`);
      expect(app.complaints()).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
