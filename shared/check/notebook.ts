/** The code cells of a notebook as one script, and the way back from its lines to cells. */
export interface Notebook {
  readonly source: string;
  /** The cell (from 1, counting all cells) and its line of a line of `source`. */
  readonly place: (line: number) => { readonly cell: number; readonly line: number };
}

/** The code of one cell, as it stands there; `cell` counts from 1 among cells of every kind. */
export interface CodeCell {
  readonly cell: number;
  readonly source: string;
}

/** The code cells of an .ipynb (nbformat 3 or 4); null where the text is no notebook. */
export function codeCells(text: string): readonly CodeCell[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  return (
    cellsOf(value)?.flatMap((cell, index) => {
      const source = codeOf(cell);
      return source === null ? [] : [{ cell: index + 1, source }];
    }) ?? null
  );
}

/** Reads an .ipynb (nbformat 3 or 4); null where the text is no notebook. Magics and shell lines are blanked. */
export function readNotebook(text: string): Notebook | null {
  const cells = codeCells(text);
  if (cells === null) return null;
  const lines: string[] = [];
  const places: { cell: number; line: number }[] = [];
  for (const { cell, source } of cells) {
    const isOtherLanguage = /^\s*%%(?!time|capture|prun)/.test(source);
    let goesOn = false;
    let openBrackets = 0;
    source.split('\n').forEach((line, offset) => {
      const isCommand =
        isOtherLanguage || goesOn || command.test(line) || (openBrackets === 0 && magic.test(line));
      goesOn = isCommand && /\\\s*$/.test(line);
      if (!isCommand) openBrackets = Math.max(0, openBrackets + bracketsLeftOpen(line));
      lines.push(isCommand ? blank(line) : line);
      places.push({ cell, line: offset + 1 });
    });
  }
  return { source: lines.join('\n'), place: (line) => places[line - 1] ?? { cell: 1, line: 1 } };
}

/** A line for the shell, also what IPython takes for one without a mark. */
const command =
  /^\s*[!?]|^(?:cd|ls|pwd|pip|conda|mamba|mkdir|rmdir|rm|cp|mv|cat)(?:[ \t]+[^=\s([.,:].*|[ \t]+\.{1,2}(?:\/.*)?)?$/;
/** Inside brackets it is the operator. */
const magic = /^\s*%/;

function bracketsLeftOpen(line: string): number {
  const code = line.replace(/"(?:\\.|[^"\\])*(?:"|$)|'(?:\\.|[^'\\])*(?:'|$)|#.*/g, '');
  return code.replace(/[^([{]/g, '').length - code.replace(/[^)\]}]/g, '').length;
}

/** A magic inside an indented body must still be a statement. */
const blank = (line: string): string => `${/^\s*/.exec(line)?.[0] ?? ''}pass`;

function cellsOf(value: unknown): readonly unknown[] | null {
  if (typeof value !== 'object' || value === null) return null;
  if ('cells' in value && Array.isArray(value.cells)) return value.cells;
  if ('worksheets' in value && Array.isArray(value.worksheets)) return value.worksheets.flatMap(cellsOfSheet);
  return null;
}

function cellsOfSheet(sheet: unknown): readonly unknown[] {
  return typeof sheet === 'object' && sheet !== null && 'cells' in sheet && Array.isArray(sheet.cells)
    ? sheet.cells
    : [];
}

function codeOf(cell: unknown): string | null {
  if (typeof cell !== 'object' || cell === null || !('cell_type' in cell) || cell.cell_type !== 'code')
    return null;
  const source = 'source' in cell ? cell.source : 'input' in cell ? cell.input : null;
  if (typeof source === 'string') return source;
  return Array.isArray(source) ? source.filter((line) => typeof line === 'string').join('') : null;
}
