/** `headroom doctor FILE|-`: a traceback or a log of any size as failures, causes and what to change. */
import { LogReader } from '../../shared/doctor/reader';
import { message } from '../../shared/i18n/message';
import { looksBinary } from '../../shared/textEncoding';
import { GiB } from '../../shared/units';
import { CommandError, type Command } from './command';
import { diagnosisLines } from './doctorText';
import { writeJson, writeLine } from './output';

/** Logs are read as a stream; the limit only stops what can hardly be a log. */
const maxInputBytes = 64 * GiB;

export const doctor: Command = {
  name: 'doctor',
  summary: message('doctor.summary'),
  positionals: [{ name: 'FILE|-', required: true }],
  flags: [],
  async run(args, io) {
    const reader = new LogReader();
    const file = args.positionals[0] ?? '-';
    let isFirst = true;
    for await (const part of io.readChunks(file, maxInputBytes)) {
      if (isFirst && looksBinary(part)) throw new CommandError(message('cli.fileNotText', { file }));
      isFirst = false;
      reader.push(part);
      io.signal.throwIfAborted();
    }
    const diagnosis = reader.finish();
    if (args.has('json')) await writeJson(io, diagnosis);
    else for (const line of diagnosisLines(diagnosis, io.locale)) await writeLine(io, line);
    return diagnosis.failures.length > 0 ? 1 : 0;
  },
};
