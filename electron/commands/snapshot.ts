/** `headroom snapshot FILE`: who held the memory in one of PyTorch's memory snapshots, and what was not planned. */
import { message } from '../../shared/i18n/message';
import { translate } from '../../shared/i18n/translate';
import { besidePlan, type BesidePlan, type PlannedCard } from '../../shared/memorySnapshot/besidePlan';
import { SnapshotFileError } from '../../shared/memorySnapshot/pickle/pickleError';
import { SnapshotAnalysis } from '../../shared/memorySnapshot/report';
import { type SnapshotFile, SnapshotFileReader } from '../../shared/memorySnapshot/snapshotFile';
import { GiB } from '../../shared/units';
import { CommandError, type Command, type CommandIo } from './command';
import { writeJson, writeLine } from './output';
import { requestFlags } from './requestFlags';
import { plannedCards } from './snapshotPlan';
import { planLines, snapshotLines } from './snapshotText';
import { unpacked } from './unpacked';

/** Packed or not; an hour of a large training is far below. */
const maxFileBytes = 8 * GiB;

export const snapshot: Command = {
  name: 'snapshot',
  summary: message('memorySnapshot.summary'),
  positionals: [{ name: 'FILE|-', required: true }],
  flags: [
    { kind: 'value', name: 'plan', placeholder: 'FILE', help: message('memorySnapshot.flagPlan') },
    { kind: 'value', name: 'model', placeholder: 'FILE|ID', help: message('memorySnapshot.flagModel') },
    ...requestFlags.map(({ flag }) => flag),
  ],
  note: message('memorySnapshot.howToRecord'),
  async run(args, io) {
    const file = args.positionals[0] ?? '-';
    const planned = await plannedCards(args, io);
    const analysis = new SnapshotAnalysis(await readSnapshot(file, io));
    const report = analysis.report();
    const plan = planned === null ? null : planOf(analysis, planned);
    if (args.has('json')) await writeJson(io, plan === null ? report : { ...report, plan });
    else {
      for (const line of snapshotLines(report, io.locale)) await writeLine(io, line);
      for (const line of plan === null ? [] : planLines(plan, io.locale)) await writeLine(io, line);
    }
    return 0;
  },
};

/** Each device beside the plan of its rank; where the plan has one card, all are compared with it. */
function planOf(analysis: SnapshotAnalysis, cards: readonly PlannedCard[]): readonly BesidePlan[] {
  return analysis.devices.flatMap((device) => {
    const card = cards[device.index] ?? cards[0];
    return card === undefined ? [] : [besidePlan(analysis, device, card)];
  });
}

/** @throws {CommandError} with the reason where the file is no snapshot that can be read */
export async function readSnapshot(file: string, io: CommandIo): Promise<SnapshotFile> {
  const reader = new SnapshotFileReader();
  try {
    for await (const bytes of unpacked(io.readBytes(file, maxFileBytes))) {
      reader.push(bytes);
      if (reader.isDone) break;
      io.signal.throwIfAborted();
    }
    return reader.finish();
  } catch (error) {
    if (!(error instanceof SnapshotFileError)) throw error;
    throw new CommandError(
      message('memorySnapshot.unreadable', { file, reason: translate(io.locale, error.text) }),
    );
  }
}
