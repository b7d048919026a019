/** `headroom watch`: Snapshots of this machine, of a scene, or of a recording, as a live table or as JSON lines. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Snapshot } from '../../shared/alerts/snapshot';
import { message } from '../../shared/i18n/message';
import { GiB } from '../../shared/units';
import { errorCode, problemText } from '../errors';
import { DamagedRecording, readRecording, SnapshotRecorder } from '../sensing/recording';
import type { Arguments } from './arguments';
import { CommandError, type Command, type CommandIo, type ExitCode } from './command';
import { writeJson } from './output';
import { liveSnapshots } from './liveSnapshots';
import { chosenScene } from './observe';
import { snapshotForOthers } from './snapshotForOthers';
import { snapshotLines } from './watchText';

const intervalRange = { min: 0.1, max: 3600 };
/** A day of 16 cards at one reading a second is about 6 GiB. */
const maxRecordingBytes = 16 * GiB;

/** The command over a source of live Snapshots; tests put their own in its place. */
export const watchOver = (live: typeof liveSnapshots): Command => ({
  name: 'watch',
  cleansUp: true,
  summary: message('watch.summary'),
  positionals: [],
  flags: [
    { kind: 'switch', name: 'once', help: message('watch.flagOnce') },
    { kind: 'value', name: 'interval', placeholder: 'S', help: message('watch.flagInterval') },
    { kind: 'value', name: 'simulate', placeholder: 'SCENE', help: message('watch.flagSimulate') },
    { kind: 'value', name: 'record', placeholder: 'FILE', help: message('watch.flagRecord') },
    { kind: 'switch', name: 'force', help: message('watch.flagForce') },
    { kind: 'value', name: 'replay', placeholder: 'FILE', help: message('watch.flagReplay') },
  ],
  async run(args, io) {
    const interval = args.number('interval', intervalRange);
    const sceneId = chosenScene(args);
    const replay = args.text('replay');
    if (replay !== null) {
      for (const flag of ['simulate', 'record', 'force'])
        if (args.has(flag)) throw new CommandError(message('watch.replayExcludes', { flag: `--${flag}` }));
      return show(replayed(replay, interval, io), args, io, null);
    }
    const recorder = await openRecorder(args.text('record'), args.has('force'));
    const once = args.has('once');
    try {
      return await show(
        live({ sceneId, intervalSeconds: interval ?? 1, once }, io.signal),
        args,
        io,
        recorder,
      );
    } finally {
      await recorder?.close();
    }
  },
});

export const watch = watchOver(liveSnapshots);

/** Prints what comes until it ends, `--once` is served or the user stops it. 1: nvidia-smi could not be asked. */
async function show(
  snapshots: AsyncIterable<Snapshot>,
  args: Arguments,
  io: CommandIo,
  recorder: SnapshotRecorder | null,
): Promise<ExitCode> {
  let last: Snapshot | null = null;
  for await (const read of snapshots) {
    const snapshot = snapshotForOthers(read);
    last = snapshot;
    if (recorder !== null) await record(recorder, snapshot, args);
    await print(snapshot, args, io);
    if (args.has('once') || io.signal.aborted) break;
  }
  return last === null || last.cards.length > 0 ? 0 : 1;
}

async function print(snapshot: Snapshot, args: Arguments, io: CommandIo): Promise<void> {
  if (args.has('json')) {
    await writeJson(io, snapshot);
    return;
  }
  const text = `${snapshotLines(snapshot, io.locale).join('\n')}\n`;
  // On a terminal each reading replaces the one before: cursor home, then clear what is left below.
  const live = io.stdout.isTerminal && !args.has('once');
  await io.stdout.write(live ? `\u001b[H${text.replace(/\n/g, '\u001b[K\n')}\u001b[J` : `${text}\n`);
}

async function record(recorder: SnapshotRecorder, snapshot: Snapshot, args: Arguments): Promise<void> {
  try {
    await recorder.write(snapshot);
  } catch (error) {
    throw recordingFailed(args.text('record') ?? '', error);
  }
}

function recordingFailed(file: string, error: unknown): CommandError {
  const reason = problemText(error);
  return new CommandError(message('watch.recordingFailed', { file, reason }));
}

async function openRecorder(file: string | null, overwrite: boolean): Promise<SnapshotRecorder | null> {
  if (file === null) {
    if (overwrite) throw new CommandError(message('watch.forceNeedsRecord'));
    return null;
  }
  try {
    return await SnapshotRecorder.open(file, overwrite);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw new CommandError(message('watch.recordingExists', { file }));
    throw recordingFailed(file, error);
  }
}

/** The readings of a recording, at the pace at which they were made, or one every `interval` seconds. */
async function* replayed(file: string, interval: number | null, io: CommandIo): AsyncGenerator<Snapshot> {
  let before: number | null = null;
  try {
    for await (const snapshot of readRecording(io.readChunks(file, maxRecordingBytes))) {
      const seconds = before === null ? 0 : (interval ?? Math.min(snapshot.time - before, intervalRange.max));
      if (seconds > 0) await pause(seconds * 1000, undefined, { signal: io.signal });
      before = snapshot.time;
      yield snapshot;
    }
  } catch (error) {
    if (error instanceof DamagedRecording)
      throw new CommandError(message('watch.recordingDamaged', { file, line: error.line }));
    // Stopping is how a replay usually ends.
    if (io.signal.aborted) return;
    throw error;
  }
  if (before === null) throw new CommandError(message('watch.recordingEmpty', { file }));
}
