import { mkdirSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  localTimeText,
  readPlanFile,
  readRankLogs,
  savedPlanAmong,
} from '../../../../electron/receipts/runFolder';
import { launchFolder } from '../../../../shared/launch/folder';
import { planId, savedPlanOf } from '../../../../shared/launch/savedPlan';
import { basePlan, variants } from '../../shared/launch/variants';
import { receipt } from '../../shared/receipts/builders';
import { temporaryFolder } from '../sensing/support';

const ddp = variants['ddp'] ?? basePlan;

function written(): string {
  const folder = temporaryFolder();
  for (const { name, text } of launchFolder(ddp, 'en', '0.1.0')) writeFileSync(path.join(folder, name), text);
  mkdirSync(path.join(folder, 'logs'));
  return folder;
}

describe('the plan beside a run', () => {
  it('is the one that was written, under its own id only', async () => {
    const folder = written();
    expect(await readPlanFile(folder, planId(ddp))).toEqual(savedPlanOf(ddp, '0.1.0'));
    expect(await readPlanFile(folder, '0000000000000000')).toBeNull();
  });

  it('is found among files that were just written', () => {
    expect(savedPlanAmong(launchFolder(ddp, 'en', null))?.id).toBe(planId(ddp));
    expect(savedPlanAmong([{ name: 'headroom-plan.json', text: '{' }])).toBeNull();
    expect(savedPlanAmong([])).toBeNull();
  });

  it('is none where the file is missing, no JSON, not a plan, or no file at all', async () => {
    const folder = written();
    const file = path.join(folder, 'headroom-plan.json');
    for (const text of ['', '{"id":', '{}', JSON.stringify({ ...savedPlanOf(ddp, null), more: 1 })]) {
      writeFileSync(file, text);
      expect(await readPlanFile(folder, planId(ddp))).toBeNull();
    }
    expect(await readPlanFile(path.join(folder, 'nowhere'), planId(ddp))).toBeNull();
    execFileSync('mkfifo', [path.join(folder, 'pipe')]);
    expect(await readPlanFile(path.join(folder, 'pipe'), planId(ddp))).toBeNull();
  });
});

describe('the logs of ranks', () => {
  const line = (time: number, rank: number, text: string) =>
    `${localTimeText(time)},123 rank ${rank} INFO ${text}\n`;
  const started = Date.parse('2026-11-29T12:00:00') / 1000;
  const ranks = receipt([{}, {}]).ranks.map((rank) => rank.planned);
  const planned = ranks[0]?.allocatedPeakBytes ?? 0;

  it('tell what each wrote since the run began, of the last part of a long file', async () => {
    const folder = written();
    const old = line(
      started - 3600,
      0,
      `headroom: measured peak 1 bytes, planned ${planned} bytes (+0.00 %)`,
    );
    const peak = line(started + 9, 0, `headroom: measured peak 77 bytes, planned ${planned} bytes (+0.00 %)`);
    writeFileSync(
      path.join(folder, 'logs/rank0.log'),
      old.repeat(6_000) + peak + line(started + 20, 0, 'done: 20 steps'),
    );
    writeFileSync(path.join(folder, 'logs/rank1.log'), old);
    expect([...(await readRankLogs(folder, ranks, started))]).toEqual([
      [0, { allocatedPeakBytes: 77, reservedBytes: null, doneSteps: 20, failed: false }],
      [1, { allocatedPeakBytes: null, reservedBytes: null, doneSteps: null, failed: false }],
    ]);
  });

  it('are one for all cards where one process has several', async () => {
    const folder = written();
    const first = line(
      started + 9,
      0,
      `headroom: measured peak 77 bytes, planned ${planned} bytes (+0.00 %)`,
    );
    const second = line(started + 9, 0, `headroom: card 1: measured peak 55 bytes, planned ${planned} bytes`);
    writeFileSync(path.join(folder, 'logs/rank0.log'), first + second);
    const logs = await readRankLogs(folder, ranks, started);
    expect([...logs].map(([rank, log]) => [rank, log.allocatedPeakBytes])).toEqual([
      [0, 77],
      [1, 55],
    ]);
  });

  it('are none where there are none', async () =>
    expect((await readRankLogs(temporaryFolder(), ranks, 0)).size).toBe(0));
});
