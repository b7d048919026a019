/**
 * The comma-separated lines of nvidia-smi. There is no quoting: a process title or a card name may hold commas, so a
 * row is read from both ends and what is left belongs to the one free-text column.
 */

/** A header cell without its unit: `memory.total [MiB]` is the field `memory.total`. */
export function fieldName(headerCell: string): string {
  return headerCell.replace(/\[[^[\]]*\]\s*$/, '').trim();
}

/** The cells of a line, trimmed, cut at every comma. */
export function splitCells(line: string): string[] {
  return line.split(',').map((cell) => cell.trim());
}

/**
 * The cells of a row of `count` columns; commas beyond that belong to the column `freeText`. Null where there are
 * too few cells, or too many and no free-text column to take them: columns are never shifted.
 */
export function rowCells(line: string, count: number, freeText: number | null): string[] | null {
  const cells = line.split(',');
  const extra = cells.length - count;
  if (extra < 0 || (extra > 0 && freeText === null)) return null;
  if (extra > 0 && freeText !== null)
    cells.splice(freeText, extra + 1, cells.slice(freeText, freeText + extra + 1).join(','));
  return cells.map((cell) => cell.trim());
}

const fieldShape = /^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*(?: \[[^\]]{1,12}\])?$/i;

/** The field names of a header line, or null where the line is none: every cell must look like a field's name. */
export function headerFields(line: string, isKnown: (field: string) => boolean): string[] | null {
  if (line.length > 20_000) return null;
  const cells = splitCells(line);
  if (!cells.every((cell) => fieldShape.test(cell))) return null;
  const fields = cells.map(fieldName);
  return fields.some(isKnown) ? fields : null;
}
