import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
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
    const text = () => readFile(file, 'utf8');
    await expect.poll(text).toContain('yyy');
    expect(await text()).toContain('[info]  started');
    expect(await text()).toContain('--api-key=***');
    expect(await text()).toContain('no room in ~/runs');
    expect(await text()).not.toContain('/home/ada');
    expect(Math.max(...(await text()).split('\n').map((line) => line.length))).toBeLessThan(20_100);
    await rm(folder, { recursive: true });
  });

  it('describes whatever was thrown', () => {
    expect(describeError(new Error('one'))).toContain('Error: one');
    expect(describeError('two')).toBe('two');
    expect(describeError(null)).toBe('null');
  });
});
