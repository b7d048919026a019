/** The nearest of some known names to a mistyped one, for "did you mean …?". */

/** Edit distance with transpositions (optimal string alignment), in edits. */
function editDistance(left: string, right: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let edits = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (row > 1 && column > 1 && swapped) edits = Math.min(edits, (beforePrevious[column - 2] ?? 0) + 1);
      current.push(edits);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length] ?? 0;
}

/**
 * The one of `known` that `text` most likely meant: fewest edits, at most a third of its length (at least 2), or the
 * only one that begins with it. Null where none is near. Texts over 64 characters are never compared.
 */
export function closest(text: string, known: readonly string[]): string | null {
  if (text.length === 0 || text.length > 64) return null;
  const wanted = text.toLowerCase();
  const begun = known.filter((name) => name.toLowerCase().startsWith(wanted));
  if (begun.length === 1) return begun[0] ?? null;
  let best: string | null = null;
  let bestEdits = Math.max(2, Math.floor(text.length / 3)) + 1;
  for (const name of known) {
    const edits = editDistance(wanted, name.toLowerCase());
    if (edits < bestEdits && edits < name.length) {
      best = name;
      bestEdits = edits;
    }
  }
  return best;
}
