/** `headroom doctor FILE|-`: a traceback or a log of any size as failures, causes and what to change. */
import { decodeUtf8 } from '../../shared/doctor/lines/utf8';
import { LogReader } from '../../shared/doctor/reader';
import type { Diagnosis } from '../../shared/doctor/types';
import { fixText } from '../../shared/doctor/view/fixText';
import { message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import { looksBinary } from '../../shared/textEncoding';
import { GiB } from '../../shared/units';
import { CommandError, type Command } from './command';
import { diagnosisLines } from './doctorText';
import { writeJson, writeLine } from './output';

/** How much of a file's beginning is read to tell text from a packed file. */
const headBytes = 4096;
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
    for await (const part of io.readUtf8(file, maxInputBytes)) {
      if (isFirst && looksBinary(decodeUtf8(part, 0, Math.min(part.length, headBytes))))
        throw new CommandError(message('cli.fileNotText', { file }));
      isFirst = false;
      reader.push(part);
      io.signal.throwIfAborted();
    }
    const diagnosis = reader.finish();
    if (args.has('json')) await writeJson(io, inWords(diagnosis, io.locale));
    else for (const line of diagnosisLines(diagnosis, io.locale)) await writeLine(io, line);
    return diagnosis.failures.length > 0 ? 1 : 0;
  },
};

/** The diagnosis with each fix as one text, as the command's JSON has it; `settings` are the lines to copy, one a fix. */
function inWords(diagnosis: Diagnosis, locale: Locale) {
  return {
    ...diagnosis,
    failures: diagnosis.failures.map((failure) => ({
      ...failure,
      causes: failure.causes.map((cause) => ({
        ...cause,
        fixes: cause.fixes.map((fix) => fixText(fix, (text) => translate(locale, text))),
        settings: cause.fixes.map(({ setting }) => setting),
      })),
    })),
  };
}
