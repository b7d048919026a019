import fc from 'fast-check';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { mostReceipts, ReceiptStore, type KeptReceipts } from '../../../../electron/storage/receiptStore';
import { receipt, savedPlan } from '../../shared/receipts/builders';
import { FakeLog } from '../fakes';
import { temporaryFolder } from '../sensing/support';

const kept: KeptReceipts = {
  plans: [{ plan: savedPlan(2), savedAt: 1_764_446_000 }],
  ties: [
    { jobId: '5-1', planId: savedPlan().id },
    { jobId: '6-1', planId: null },
  ],
  receipts: [
    receipt([{ allocatedPeakBytes: 5 }, {}]),
    receipt([{}], { id: 'other', jobId: null, endedAt: null }),
  ],
};
const fileIn = (folder: string) => path.join(folder, 'receipts.json');

describe('the store of receipts', () => {
  it('gives back what an earlier run saved, the last of several writes', async () => {
    const file = fileIn(temporaryFolder());
    const store = await ReceiptStore.open(file, new FakeLog());
    expect(store.kept()).toEqual({ plans: [], ties: [], receipts: [] });
    store.save({ ...kept, receipts: [] });
    store.save(kept);
    await store.flush();
    const again = await ReceiptStore.open(file, new FakeLog());
    expect([again.kept(), again.notice()]).toEqual([kept, null]);
    expect(JSON.parse(readFileSync(file, 'utf8')).version).toBe(1);
  });

  it('keeps the newest 500 receipts, also on disk, however many cards each has', async () => {
    const file = fileIn(temporaryFolder());
    const store = await ReceiptStore.open(file, new FakeLog());
    const many = Array.from({ length: mostReceipts + 20 }, (_, at) =>
      receipt(
        Array.from({ length: 16 }, () => ({ processBytes: 2 ** 34 })),
        { id: `r${at}` },
      ),
    );
    store.save({ ...kept, receipts: many });
    await store.flush();
    const { receipts } = (await ReceiptStore.open(file, new FakeLog())).kept();
    expect([receipts.length, receipts[0]?.id, receipts.at(-1)?.id]).toEqual([500, 'r0', 'r499']);
  });

  it('keeps a damaged file aside, takes what fits of it, and says so', async () => {
    const folder = temporaryFolder();
    const text = JSON.stringify({ version: 1, ...kept, receipts: [{ id: 'odd' }, ...kept.receipts] });
    writeFileSync(fileIn(folder), text);
    const log = new FakeLog();
    const store = await ReceiptStore.open(fileIn(folder), log);
    expect(store.kept()).toEqual(kept);
    expect(store.notice()).toEqual({ key: 'receipts.damaged', values: { file: 'receipts.damaged.json' } });
    expect(readFileSync(path.join(folder, 'receipts.damaged.json'), 'utf8')).toBe(text);
    expect(log.lines).toEqual(['warn The file of receipts was damaged; a copy: receipts.damaged.json.']);
  });

  it('never rejects, whatever the file holds', async () => {
    const folder = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json(), fc.constant('{"version":2}')), async (text) => {
        writeFileSync(fileIn(folder), text);
        const store = await ReceiptStore.open(fileIn(folder), new FakeLog());
        expect(store.kept()).toEqual({ plans: [], ties: [], receipts: [] });
      }),
      { numRuns: 50 },
    );
    expect(readdirSync(folder).sort()).toEqual(['receipts.damaged.json', 'receipts.json']);
  });

  it('says that nothing can be written, and goes on', async () => {
    const folder = temporaryFolder();
    const store = await ReceiptStore.open(path.join(folder, 'receipts.json', 'under-a-file'), new FakeLog());
    writeFileSync(fileIn(folder), '');
    chmodSync(fileIn(folder), 0o600);
    store.save(kept);
    await store.flush();
    expect(store.notice()?.key).toBe('receipts.notSaved');
    expect(store.kept()).toEqual(kept);
  });
});
