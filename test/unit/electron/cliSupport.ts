import type { Command, CommandIo } from '../../../electron/commands/command';
import { dispatch } from '../../../electron/commands/dispatch';
import { CommandError, MissingFileError } from '../../../electron/commands/command';
import { message } from '../../../shared/i18n/message';
import type { Locale } from '../../../shared/i18n/translate';

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one call of the command with files from memory. */
export async function call(
  commands: readonly Command[],
  words: readonly string[],
  options: {
    readonly files?: Readonly<Record<string, string>>;
    /** Files that are no text, such as snapshots. */
    readonly bytes?: Readonly<Record<string, Uint8Array>>;
    readonly locale?: Locale;
    readonly signal?: AbortSignal;
    readonly environment?: Readonly<Record<string, string>>;
    /** What the person at the terminal says, in turn; without one nobody is there. */
    readonly answers?: string[];
  } = {},
): Promise<Answer> {
  const written = { stdout: '', stderr: '' };
  const readText = async (file: string, maxBytes: number) => {
    const text = options.files?.[file];
    if (text === undefined) throw new MissingFileError(file);
    if (text.length > maxBytes)
      throw new CommandError(message('cli.fileTooLarge', { file, limit: maxBytes }));
    return text;
  };
  const io: CommandIo = {
    locale: options.locale ?? 'en',
    stdout: { isTerminal: false, write: async (text) => void (written.stdout += text) },
    stderr: { isTerminal: false, write: async (text) => void (written.stderr += text) },
    environment: options.environment ?? {},
    signal: options.signal ?? new AbortController().signal,
    readText,
    async *readChunks(file, maxBytes) {
      yield await readText(file, maxBytes);
    },
    async *readBytes(file, maxBytes) {
      const bytes = options.bytes?.[file];
      yield bytes ?? new TextEncoder().encode(await readText(file, maxBytes));
    },
    async *readUtf8(file, maxBytes) {
      yield new TextEncoder().encode(await readText(file, maxBytes));
    },
    ask: async () => options.answers?.shift() ?? null,
  };
  return {
    code: await dispatch(
      commands.map((command) => ({ ...command, load: async () => command })),
      words,
      io,
      '1.2.3',
    ),
    ...written,
  };
}
