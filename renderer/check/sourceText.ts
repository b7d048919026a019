/** One line of the shown text. In notebooks lines are counted within their cell, as the findings are. */
export interface SourceLine {
  readonly cell: number | null;
  readonly number: number;
  readonly text: string;
}

/** The lines of a script, or of the code cells of a notebook. */
export function sourceLines(text: string): readonly SourceLine[] {
  const cells = notebookCells(text);
  if (cells === null)
    return split(text).map((line, index) => ({ cell: null, number: index + 1, text: line }));
  return cells.flatMap(({ cell, source }) =>
    split(source).map((line, index) => ({ cell, number: index + 1, text: line })),
  );
}

const split = (text: string): readonly string[] => text.replace(/^\uFEFF/, '').split(/\r\n?|\n/);

function notebookCells(text: string): readonly { readonly cell: number; readonly source: string }[] | null {
  if (!/^\s*\{/.test(text) || !text.includes('"cell_type"')) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (typeof value !== 'object' || value === null || !('cells' in value) || !Array.isArray(value.cells))
    return null;
  return value.cells.flatMap((cell: unknown, index) => {
    if (typeof cell !== 'object' || cell === null || !('cell_type' in cell) || cell.cell_type !== 'code')
      return [];
    const source = 'source' in cell ? cell.source : '';
    return [{ cell: index + 1, source: Array.isArray(source) ? source.join('') : String(source) }];
  });
}
