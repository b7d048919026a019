/** The CommandIo of the real process: its streams, its signals, its language. */
import { createInterface } from 'node:readline';
import type { WriteStream } from 'node:tty';
import { nearestLocale, type Locale } from '../../shared/i18n/translate';
import type { CommandIo, TextSink } from './command';
import { readBytes, readChunks, readUtf8 } from './input';

/** HEADROOM_LANG, then what POSIX says of messages: LC_ALL, LC_MESSAGES, LANG. The first that is set decides. */
export function localeOf(environment: Readonly<Record<string, string | undefined>>): Locale {
  const names = ['HEADROOM_LANG', 'LC_ALL', 'LC_MESSAGES', 'LANG'];
  return nearestLocale(names.map((name) => environment[name]).find((value) => value) ?? null);
}

/** A closed pipe (`headroom … | head -1`) is a reader that has seen enough, not a fault: it aborts the command. */
function textSink(stream: NodeJS.WriteStream | WriteStream, closed: () => void): TextSink {
  let open = true;
  const close = () => {
    open = false;
    closed();
  };
  stream.on('error', close);
  return {
    isTerminal: stream.isTTY === true,
    write: (text) =>
      new Promise((resolve) => {
        if (!open) resolve();
        else stream.write(text, () => resolve());
      }),
  };
}

/**
 * `cleansUp`: the first signal aborts the command, which then puts away what it holds; a second one ends the process at once, as
 * people expect of Ctrl-C.
 */
export function processIo(cleansUp: boolean): CommandIo {
  const ended = new AbortController();
  if (cleansUp) for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ended.abort());
  const chunks = (file: string, maxBytes: number) => readChunks(file, maxBytes, process.stdin, ended.signal);
  return {
    locale: localeOf(process.env),
    stdout: textSink(process.stdout, () => ended.abort()),
    stderr: textSink(process.stderr, () => undefined),
    environment: process.env,
    signal: ended.signal,
    readChunks: chunks,
    readBytes: (file, maxBytes) => readBytes(file, maxBytes, process.stdin, ended.signal),
    readUtf8: (file, maxBytes) => readUtf8(file, maxBytes, process.stdin, ended.signal),
    readText: async (file, maxBytes) => {
      const parts: string[] = [];
      for await (const part of chunks(file, maxBytes)) parts.push(part);
      return parts.join('');
    },
    ask: (question) => askOnTerminal(question, ended.signal),
  };
}

/** Asks only where a person sits at stdin: an answer out of a pipe is no consent. */
function askOnTerminal(question: string, signal: AbortSignal): Promise<string | null> {
  if (process.stdin.isTTY !== true || signal.aborted) return Promise.resolve(null);
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    const end = (answer: string | null) => {
      signal.removeEventListener('abort', cancel);
      resolve(answer);
      lines.close();
    };
    const cancel = () => end(null);
    signal.addEventListener('abort', cancel, { once: true });
    lines.on('close', cancel);
    lines.question(question, end);
  });
}
