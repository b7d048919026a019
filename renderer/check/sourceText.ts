import { codeCells } from '../../shared/check/notebook';

/** One line of the shown text. In notebooks lines are counted within their cell, as the findings are. */
export interface SourceLine {
  readonly cell: number | null;
  readonly number: number;
  readonly text: string;
}

/** The lines of a script, or of the code cells of a notebook. */
export function sourceLines(text: string): readonly SourceLine[] {
  // Only what looks like a notebook is parsed as one.
  const cells = /^\s*\{/.test(text) && text.includes('"cell_type"') ? codeCells(text) : null;
  if (cells === null)
    return split(text).map((line, index) => ({ cell: null, number: index + 1, text: line }));
  return cells.flatMap(({ cell, source }) =>
    split(source).map((line, index) => ({ cell, number: index + 1, text: line })),
  );
}

const split = (text: string): readonly string[] => text.replace(/^\uFEFF/, '').split(/\r\n?|\n/);
