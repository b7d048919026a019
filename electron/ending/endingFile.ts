/** Where the `headroom` command writes down what it ended: beside the log of the app, as the app does itself. */
import { lstat, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { redact } from '../storage/redact';
import { openToAppend } from '../storage/safeWrite';

/** The file, from the variables that tell where the app keeps its data; null where there is no home. */
export function endingFile(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): string | null {
  const home = environment['HOME'] ?? null;
  const base =
    platform === 'win32'
      ? (environment['APPDATA'] ?? null)
      : platform === 'darwin'
        ? home && path.join(home, 'Library/Application Support')
        : (environment['XDG_CONFIG_HOME'] ?? (home && path.join(home, '.config')));
  return base === null || base === '' ? null : path.join(base, 'Headroom', 'logs', 'endings.log');
}

/** One line of the record and when it was true. */
export interface EndingLine {
  readonly at: Date;
  readonly text: string;
}

/**
 * Appends the lines, freed of private data. Rejects where the file cannot be written, and where it or one of the app's
 * own folders is a link or no plain file: whoever can write there could otherwise choose what a root writes to.
 */
export async function writeEnding(
  file: string,
  lines: readonly EndingLine[],
  homeFolder: string,
): Promise<void> {
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true });
  for (const own of [path.dirname(folder), folder])
    if (!(await lstat(own)).isDirectory()) throw new NoOwnFolder(own);
  const text = lines.map((line) => `${line.at.toISOString()} ${redact(line.text, homeFolder)}\n`).join('');
  const handle = await openToAppend(file, 0o600);
  try {
    await handle.appendFile(text);
  } finally {
    await handle.close();
  }
}

/** What lies in the place of a folder of ours is a link or a file. */
class NoOwnFolder extends Error {
  constructor(file: string) {
    super(`${file} is a link or no folder`);
    this.name = 'NoOwnFolder';
  }
}
