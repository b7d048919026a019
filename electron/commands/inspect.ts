/** `headroom inspect FILE|-`: any saved output of nvidia-smi as cards, processes, links and problems. */
import { readSaved } from '../../shared/gpu/smi/saved';
import type { GpuReading } from '../../shared/gpu/types';
import { message } from '../../shared/i18n/message';
import { translate } from '../../shared/i18n/translate';
import { printable } from '../../shared/printable';
import { MiB } from '../../shared/units';
import type { Command, CommandIo, ExitCode } from './command';
import { readingLines } from './inspectText';
import { writeJson, writeLine } from './output';

/** The largest real output (`-q -x` of 16 cards with every clock) is about 2 MiB; a looped log may be long. */
const maxInputBytes = 64 * MiB;

export const inspect: Command = {
  name: 'inspect',
  summary: message('cli.inspectSummary'),
  positionals: [{ name: 'FILE|-', required: true }],
  flags: [],
  async run(args, io) {
    const file = args.positionals[0] ?? '-';
    const reading = readSaved(await io.readText(file, maxInputBytes));
    if (args.has('json')) await writeJson(io, reading);
    else for (const line of readingLines(reading, io.locale)) await writeLine(io, line);
    return conclude(reading, file, io);
  },
};

async function conclude(reading: GpuReading, file: string, io: CommandIo): Promise<ExitCode> {
  if (reading.format === 'error') return 1;
  if (reading.format !== 'unknown') return 0;
  await io.stderr.write(
    `headroom inspect: ${printable(translate(io.locale, message('cli.inspectUnknown', { file })))}\n`,
  );
  return 2;
}
