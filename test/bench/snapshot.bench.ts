import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, openSync, readSync, closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SnapshotAnalysis } from '../../shared/memorySnapshot/report';
import { SnapshotFileReader } from '../../shared/memorySnapshot/snapshotFile';
import { GiB, MiB } from '../../shared/units';
import type { Bench, BenchRow } from './bench';

export const name = 'Memory snapshots';

/** The last step of a real snapshot, again and again, until the file has so many bytes. */
const wantedBytes = 200_000_000;
const maker = `
import lzma, pickle, sys
source, out, wanted = sys.argv[1], sys.argv[2], int(sys.argv[3])
snapshot = pickle.loads(lzma.open(source).read())
trace, notes = snapshot["device_traces"][0], snapshot["external_annotations"]
ends = [note["time_us"] for note in notes if note["stage"] == "END" and "zero_grad" in note["name"]]
start, stop = (next(i for i, e in enumerate(trace) if e["time_us"] > end) if trace[-1]["time_us"] > end else len(trace) for end in ends[-2:])
step, took = trace[start:stop], ends[-1] - ends[-2]
repeats = wanted // max(1, len(pickle.dumps(step)) - len(pickle.dumps(step[:1])))
long, last = trace[:stop], notes[-4:]
for repeat in range(1, repeats + 1):
    long += [dict(entry, time_us=entry["time_us"] + repeat * took, frames=list(entry["frames"])) for entry in step]
    notes += [dict(note, time_us=note["time_us"] + repeat * took) for note in last]
snapshot["device_traces"][0] = long + trace[stop:]
pickle.dump(snapshot, open(out, "wb"))
`;
/** Processor seconds of Python's own reader, in a process of its own. */
const loader = `
import pickle, sys, time
before = time.process_time()
snapshot = pickle.load(open(sys.argv[1], "rb"))
print(time.process_time() - before, len(snapshot["device_traces"][0]))
`;

export const run: Bench = async () => {
  if (spawnSync('python3', ['--version'], { timeout: 10_000 }).status !== 0) return [];
  const folder = mkdtempSync(path.join(tmpdir(), 'headroom-snapshot-'));
  try {
    const file = path.join(folder, 'large.pickle');
    const source = path.resolve('test/fixtures/memorySnapshots/plain.pickle.xz');
    execFileSync('python3', ['-c', maker, source, file, String(wantedBytes)], { timeout: 600_000 });
    const [seconds = '0', entries = '0'] = execFileSync('python3', ['-c', loader, file], { timeout: 600_000 })
      .toString()
      .split(/\s+/);
    return readingRows(file, Number(seconds), Number(entries));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

function readingRows(file: string, pythonSeconds: number, entries: number): readonly BenchRow[] {
  // Once for the compiler.
  readAll(path.resolve('test/fixtures/memorySnapshots/plain.pickle.xz'), 0);
  const begin = process.cpuUsage();
  const { analysis, reading } = readAll(file, Infinity);
  const read = process.cpuUsage(begin);
  analysis.report();
  const reported = process.cpuUsage(begin);
  const secondsOf = ({ system, user }: NodeJS.CpuUsage): number => (system + user) / 1e6;
  const size = statSync(file).size / 1e6;
  const rss = process.memoryUsage().rss;
  return [
    {
      what: `reading ${size.toFixed(0)} MB, ${entries} entries`,
      measured: `${secondsOf(read).toFixed(1)} s of processor`,
      baseline: `${pythonSeconds.toFixed(1)} s, Python's pickle.load`,
      result: `${(secondsOf(read) / pythonSeconds).toFixed(2)}x its time`,
      aim: '1.5x',
      aimMet: secondsOf(read) <= 1.5 * pythonSeconds,
    },
    {
      what: 'the whole report, reading included',
      measured: `${secondsOf(reported).toFixed(1)} s of processor`,
      baseline: `${pythonSeconds.toFixed(1)} s, Python's pickle.load`,
      result: `${(secondsOf(reported) / pythonSeconds).toFixed(2)}x its time`,
      aim: '3x',
      aimMet: secondsOf(reported) <= 3 * pythonSeconds,
    },
    {
      what: 'memory of the process after it',
      measured: `${(rss / MiB).toFixed(0)} MiB`,
      baseline: `${(reading / MiB).toFixed(0)} MiB counted by the reader`,
      result: '',
      aim: '1024 MiB',
      aimMet: rss <= GiB,
    },
  ];
}

function readAll(
  file: string,
  mostBytes: number,
): { readonly analysis: SnapshotAnalysis; readonly reading: number } {
  const reader = new SnapshotFileReader();
  if (mostBytes === 0) {
    const small = JSON.parse(
      readFileSync(path.resolve('test/fixtures/memorySnapshots/pickles.json'), 'utf8'),
    ) as {
      readonly snapshots: readonly { readonly pickle: string }[];
    };
    reader.push(Buffer.from(small.snapshots[4]?.pickle ?? '', 'base64'));
  } else {
    const descriptor = openSync(file, 'r');
    const part = Buffer.alloc(MiB);
    // A piece is read to its end before the next one comes, so the buffer is free again.
    for (let length = readSync(descriptor, part); length > 0; length = readSync(descriptor, part))
      reader.push(Uint8Array.from(part.subarray(0, length)));
    closeSync(descriptor);
  }
  const snapshot = reader.finish();
  return { analysis: new SnapshotAnalysis(snapshot), reading: snapshot.heldBytes };
}
