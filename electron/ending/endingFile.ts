/** Where the `headroom` command writes down what it ended: beside the log of the app, as the app does itself. */
import { appendFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { redact } from '../storage/redact';

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

/** Appends the lines, freed of private data. Rejects where the file cannot be written. */
export async function writeEnding(
  file: string,
  lines: readonly EndingLine[],
  homeFolder: string,
): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const text = lines.map((line) => `${line.at.toISOString()} ${redact(line.text, homeFolder)}\n`).join('');
  await appendFile(file, text, { mode: 0o600 });
}
