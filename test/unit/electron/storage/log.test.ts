import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { describe as describeError, openLog } from '../../../../electron/storage/log';

describe('the log', () => {
  it('writes redacted and shortened lines to its file', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'headroom-log-'));
    const file = path.join(folder, 'logs/headroom.log');
    const log = openLog(file, '/home/ada', false);
    log.info('started');
    log.warn('train.py --api-key=abc123');
    log.error('failed:', new Error('no room in /home/ada/runs'));
    log.info('y'.repeat(30_000));
    const text = await vi.waitFor(async () => {
      const read = await readFile(file, 'utf8');
      expect(read).toContain('yyy');
      return read;
    });
    expect(text).toContain('[info]  started');
    expect(text).toContain('--api-key=***');
    expect(text).toContain('no room in ~/runs');
    expect(text).not.toContain('/home/ada');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(20_100);
    await rm(folder, { recursive: true });
  });

  it('describes whatever was thrown', () => {
    expect(describeError(new Error('one'))).toContain('Error: one');
    expect(describeError('two')).toBe('two');
    expect(describeError(null)).toBe('null');
  });
});
