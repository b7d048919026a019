/** Where the brackets and blocks of a script are, without parsing it: strings and comments are passed over. */
import { message } from '../../i18n/message';
import { mostIndents, mostOpenBrackets, OverLimit } from '../limits';

/**
 * One token a match. A string that is never closed is taken to the end of its line, or of the text: else each of its
 * quotes would begin the search for an end anew.
 */
const tokens =
  /"""(?:[^"\\]|\\(?:[^]|$)|"(?!""))*(?:"""|$)|'''(?:[^'\\]|\\(?:[^]|$)|'(?!''))*(?:'''|$)|"(?:[^"\\\n]|\\(?:[^]|$))*(?:"|(?=\n)|$)|'(?:[^'\\\n]|\\(?:[^]|$))*(?:'|(?=\n)|$)|#[^\n]*|[()[\]{}]/g;

/**
 * The place of the closing bracket for the place of each opening one that is closed.
 * Throws OverLimit where more brackets or blocks are open than CPython allows.
 */
export function closedBrackets(source: string): ReadonlyMap<number, number> {
  refuseDeepBlocks(source);
  const open: number[] = [];
  const closed = new Map<number, number>();
  for (const { 0: token, index } of source.matchAll(tokens)) {
    if (token === '(' || token === '[' || token === '{') {
      open.push(index);
      if (open.length > mostOpenBrackets)
        throw new OverLimit(message('check.overBrackets', { limit: mostOpenBrackets }), index);
    } else if (token === ')' || token === ']' || token === '}') {
      const opening = open.pop();
      if (opening !== undefined) closed.set(opening, index);
    }
  }
  return closed;
}

/** A block is indented deeper than what it is in, so that no stack of widths is higher than blocks are nested. */
function refuseDeepBlocks(source: string): void {
  const widths: number[] = [];
  for (const { 0: line, index } of source.matchAll(/^[ \t]*(?=[^\s#])/gm)) {
    while ((widths.at(-1) ?? -1) >= line.length) widths.pop();
    widths.push(line.length);
    if (widths.length > mostIndents + 1)
      throw new OverLimit(message('check.overIndents', { limit: mostIndents }), index);
  }
}
