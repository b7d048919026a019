/** `headroom inspect FILE|-`: any saved output of nvidia-smi as cards, processes, links and problems. */
import { readLines } from '../../shared/doctor/lines/lines';
import { readOutput } from '../../shared/gpu/smi/output';
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

/** A quoted or shipped output is read without what mail, loggers and HTML put around its lines; no real one is longer. */
const mostWrappedCharacters = 4 * MiB;

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

function readSaved(text: string): GpuReading {
  if (text.length > mostWrappedCharacters) return readOutput(text);
  const reading = isWrapped(text) ? null : readOutput(text);
  if (reading !== null && reading.format !== 'unknown') return reading;
  const lines = readLines(text, 1).map((line) => line.text);
  const inside = readOutput(lines.join('\n'));
  return inside.format === 'unknown' ? readOutput(text) : inside;
}

/** Each line begins with the `>` of a mail or of Markdown, or with the time that a container's log puts there. */
function isWrapped(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (
    lines.length > 0 && lines.every((line) => /^(?:\s*>|\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]{2,12}Z )/.test(line))
  );
}

async function conclude(reading: GpuReading, file: string, io: CommandIo): Promise<ExitCode> {
  if (reading.format === 'error') return 1;
  if (reading.format !== 'unknown') return 0;
  await io.stderr.write(
    `headroom inspect: ${printable(translate(io.locale, message('cli.inspectUnknown', { file })))}\n`,
  );
  return 2;
}
