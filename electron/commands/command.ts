/**
 * What a subcommand of `headroom` is. To add one: a file here that exports a Command, one entry in `table.ts`,
 * and its texts in the catalogue area `cli`. The frame (`dispatch.ts`) does flags, help, errors and exit codes.
 */
import type { Locale } from '../../shared/i18n/translate';
import { message, type Message } from '../../shared/i18n/message';
import type { Arguments } from './arguments';

/** 0: done; 1: the answer is negative; 2: bad use or unreadable input. */
export type ExitCode = 0 | 1 | 2;

/** A switch is there or not; a value flag takes one value, `placeholder` names it in the help (`FILE`, `N`). */
export type Flag =
  | { readonly kind: 'switch'; readonly name: string; readonly help: Message }
  | { readonly kind: 'value'; readonly name: string; readonly placeholder: string; readonly help: Message };

export interface Positional {
  /** As the usage line shows it: `FILE|-`. */
  readonly name: string;
  readonly required: boolean;
}

export interface Command {
  readonly name: string;
  readonly summary: Message;
  readonly positionals: readonly Positional[];
  /** Its own flags; `--help` and `--json` are added by the frame. */
  readonly flags: readonly Flag[];
  /** A sentence below the summary in its help. */
  readonly note?: Message;
  /**
   * True: it has child processes or a person's yes to put away when a signal comes, and does so. Else a signal ends the process at
   * once, also in the middle of a long calculation, where no handler would run.
   */
  readonly cleansUp?: true;
  /** Does the work. Throws CommandError for bad use or unreadable input; ends early once `io.signal` is aborted. */
  run(args: Arguments, io: CommandIo): Promise<ExitCode>;
}

/** A subcommand as the frame knows it before it is called; its code is loaded only then, so that the others cost nothing. */
export interface CommandEntry extends Pick<Command, 'name' | 'summary' | 'cleansUp'> {
  load(): Promise<Command>;
}

/** Where a command writes. Resolves when the text has been handed on, so that a slow reader slows the command. */
export interface TextSink {
  write(text: string): Promise<void>;
  /** Whether a person reads it on a terminal. */
  readonly isTerminal: boolean;
}

/** All that a command may touch of the world. */
export interface CommandIo {
  readonly locale: Locale;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C, SIGTERM, or when nobody reads stdout any more. */
  readonly signal: AbortSignal;
  /** The text of a file, or of stdin for `-`. Throws CommandError where it cannot be read or is over `maxBytes`. */
  readText(file: string, maxBytes: number): Promise<string>;
  /** The same in pieces, for what is too large to hold; the limit is checked while reading. */
  readChunks(file: string, maxBytes: number): AsyncIterable<string>;
  /** The bytes of a file, or of stdin for `-`, in pieces, with the same errors. */
  readBytes(file: string, maxBytes: number): AsyncIterable<Uint8Array>;
  /** The same undecoded, in UTF-8 whatever the file is stored in. */
  readUtf8(file: string, maxBytes: number): AsyncIterable<Uint8Array>;
  /** One line of standard input, asked with `question` on stderr; null where stdin is no terminal or has ended. */
  ask(question: string): Promise<string | null>;
}

/** Bad use or unreadable input: one line on stderr, exit 2. */
export class CommandError extends Error {
  constructor(readonly text: Message) {
    super(text.key);
    this.name = 'CommandError';
  }
}

/** There is no such file; what was named may be something else, such as a model's id. */
export class MissingFileError extends CommandError {
  constructor(file: string) {
    super(message('cli.fileMissing', { file }));
    this.name = 'MissingFileError';
  }
}
