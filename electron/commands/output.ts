/** What commands print: one JSON value, or lines of text. */
import { localize, translate } from '../../shared/i18n/translate';
import type { Message } from '../../shared/i18n/message';
import { escapeControls, printable } from '../../shared/printable';
import type { CommandIo } from './command';

/**
 * Prints one JSON value on stdout, on one line, every Message in it in the user's language. What steers a terminal is
 * written as JSON's escapes, so that the value stays what it is.
 */
export async function writeJson(io: CommandIo, value: unknown): Promise<void> {
  await io.stdout.write(`${escapeControls(JSON.stringify(localize(io.locale, value)))}\n`);
}

/** Prints a text with a line end. What else steers a terminal is made visible. */
export async function writeLine(io: CommandIo, text: Message | string): Promise<void> {
  const lines = (typeof text === 'string' ? text : translate(io.locale, text)).split('\n');
  await io.stdout.write(`${lines.map(printable).join('\n')}\n`);
}

/** Columns of a terminal that a text takes: East Asian wide characters take two. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text)
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u.test(
        character,
      )
        ? 2
        : 1;
  return width;
}

/** Rows as aligned columns, two spaces apart, the last one not padded. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, place) => {
      widths[place] = Math.max(widths[place] ?? 0, displayWidth(cell));
    });
  return rows.map((row) =>
    row
      .map((cell, place) =>
        place === row.length - 1 ? cell : cell + ' '.repeat((widths[place] ?? 0) - displayWidth(cell)),
      )
      .join('  ')
      .trimEnd(),
  );
}
