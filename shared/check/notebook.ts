/** The code cells of a notebook as one script, and the way back from its lines to cells. */
export interface Notebook {
  readonly source: string;
  /** The cell (from 1, counting all cells) and its line of a line of `source`. */
  readonly place: (line: number) => { readonly cell: number; readonly line: number };
}

/** Reads an .ipynb (nbformat 3 or 4); null where the text is no notebook. Magics and shell lines are blanked. */
export function readNotebook(text: string): Notebook | null {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const cells = cellsOf(value);
  if (cells === null) return null;
  const lines: string[] = [];
  const places: { cell: number; line: number }[] = [];
  cells.forEach((cell, index) => {
    const source = codeOf(cell);
    if (source === null) return;
    const isOtherLanguage = /^\s*%%(?!time|capture|prun)/.test(source);
    source.split('\n').forEach((line, offset) => {
      lines.push(isOtherLanguage || /^\s*[%!?]/.test(line) ? blank(line) : line);
      places.push({ cell: index + 1, line: offset + 1 });
    });
  });
  return { source: lines.join('\n'), place: (line) => places[line - 1] ?? { cell: 1, line: 1 } };
}

/** A magic inside an indented body must still be a statement. */
const blank = (line: string): string => `${/^\s*/.exec(line)?.[0] ?? ''}pass`;

function cellsOf(value: unknown): readonly unknown[] | null {
  if (typeof value !== 'object' || value === null) return null;
  if ('cells' in value && Array.isArray(value.cells)) return value.cells;
  if ('worksheets' in value && Array.isArray(value.worksheets))
    return value.worksheets.flatMap((sheet) => cellsOf(sheet) ?? []);
  return null;
}

function codeOf(cell: unknown): string | null {
  if (typeof cell !== 'object' || cell === null || !('cell_type' in cell) || cell.cell_type !== 'code')
    return null;
  const source = 'source' in cell ? cell.source : 'input' in cell ? cell.input : null;
  if (typeof source === 'string') return source;
  return Array.isArray(source) ? source.map(String).join('') : null;
}
