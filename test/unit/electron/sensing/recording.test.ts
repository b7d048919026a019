import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DamagedRecording, readRecording, SnapshotRecorder } from '../../../../electron/sensing/recording';
import { snapshotOf } from '../../shared/contract/typedSnapshot';
import { temporaryFolder } from './support';

async function* pieces(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}

async function all<Value>(values: AsyncIterable<Value>): Promise<readonly Value[]> {
  const list: Value[] = [];
  for await (const value of values) list.push(value);
  return list;
}

describe('a recording', () => {
  it('gives back what was written, however it is cut into pieces', async () => {
    const file = path.join(temporaryFolder(), 'record.jsonl');
    const snapshots = [1, 2, 3].map((time) => snapshotOf({ time }));
    const recorder = await SnapshotRecorder.open(file, false);
    for (const snapshot of snapshots) await recorder.write(snapshot);
    await recorder.close();
    const text = readFileSync(file, 'utf8');
    expect(text.split('\n')).toHaveLength(4);
    for (const size of [1, 7, 1000, text.length]) {
      const cut = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      expect(await all(readRecording(pieces(...cut)))).toEqual(snapshots);
    }
  });

  it('cut in its last line it gives what is whole', async () => {
    const text = JSON.stringify(snapshotOf({ time: 1 }));
    expect(await all(readRecording(pieces(`${text}\n${text.slice(0, 50)}`)))).toHaveLength(1);
    expect(await all(readRecording(pieces(`${text}\n${text}`)))).toHaveLength(2);
  });

  it.each([
    ['not JSON', 'hello\n', 1],
    ['another program’s JSON', '{"time": 1}\n', 1],
    ['a damaged second line', `${JSON.stringify(snapshotOf({ time: 1 }))}\n{"time":"x"}\n`, 2],
    ['one line without an end', 'hello', 1],
  ])('of %s is refused with its line', async (_what, text, line) => {
    const reading = all(readRecording(pieces(text)));
    await expect(reading).rejects.toBeInstanceOf(DamagedRecording);
    await expect(reading).rejects.toMatchObject({ line });
  });

  it('with a line that does not end is given up, not held in memory', async () => {
    async function* endless(): AsyncGenerator<string> {
      yield `${JSON.stringify(snapshotOf({ time: 1 }))}\n`;
      for (;;) yield 'x'.repeat(1024 * 1024);
    }
    await expect(all(readRecording(endless()))).rejects.toMatchObject({ line: 2 });
  });

  it('cannot be opened where there is no folder', async () => {
    await expect(SnapshotRecorder.open('/nowhere/at/all/record.jsonl', false)).rejects.toThrow('ENOENT');
  });
});
