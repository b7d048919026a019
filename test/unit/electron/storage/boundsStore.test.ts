import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { fitBounds, savedBoundsSchema, type SavedBounds } from '../../../../electron/desktop/bounds';
import { BoundsStore } from '../../../../electron/storage/boundsStore';
import { FakeLog } from '../fakes';
import { temporaryFolder } from '../sensing/support';

const bounds: SavedBounds = { width: 1000, height: 700, x: 5, y: null, maximised: false };
let folder: string;
let file: string;
let log: FakeLog;
beforeEach(() => {
  folder = temporaryFolder();
  file = path.join(folder, 'window.json');
  log = new FakeLog();
});

describe('BoundsStore', () => {
  it('remembers the last bounds over a restart', async () => {
    const store = await BoundsStore.open(file, log);
    expect(store.saved()).toBeNull();
    store.save({ ...bounds, width: 950 });
    store.save(bounds);
    expect(store.saved()).toEqual(bounds);
    await store.flush();
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(bounds);
    expect((await BoundsStore.open(file, log)).saved()).toEqual(bounds);
  });

  it.each(['', '{}', '[]', '{"width":1e99,"height":1,"x":0,"y":0,"maximised":false}', 'null'])(
    'forgets a file that holds %j',
    async (text) => {
      await writeFile(file, text);
      expect((await BoundsStore.open(file, log)).saved()).toBeNull();
    },
  );

  it('gives a window that can be used, whatever bytes the file holds', async () => {
    const number = fc.oneof(fc.integer(), fc.double(), fc.constant(null), fc.string());
    const lookalike = fc.record(
      { width: number, height: number, x: number, y: number, maximised: fc.boolean() },
      { requiredKeys: [] },
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      lookalike.map((value) => Buffer.from(JSON.stringify(value))),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        await writeFile(file, content);
        const saved = (await BoundsStore.open(file, log)).saved();
        if (saved !== null) expect(savedBoundsSchema.safeParse(saved).success).toBe(true);
        const fitted = fitBounds(saved, [{ x: 0, y: 0, width: 1440, height: 900 }]);
        expect(fitted.width).toBeGreaterThanOrEqual(900);
        expect(fitted.width).toBeLessThanOrEqual(1440);
      }),
      { numRuns: 150 },
    );
  });

  it('only writes to the log where nothing can be remembered', async () => {
    await mkdir(file);
    const store = await BoundsStore.open(file, log);
    store.save(bounds);
    await store.flush();
    expect(log.lines).toHaveLength(1);
    expect(log.lines[0]).toContain('cannot be remembered');
  });
});
