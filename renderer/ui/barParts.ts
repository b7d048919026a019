/**
 * How a part of a memory bar is filled: a job (or a kind of memory) in its colour, another user's memory hatched,
 * desktop programs and what no process accounts for in grey; a request that was refused only in outline.
 */
export type BarFill =
  | { readonly kind: 'colour'; readonly colour: number }
  /** What a plan may take beyond what is expected of it. */
  | { readonly kind: 'maybe'; readonly colour: number }
  | { readonly kind: 'other' }
  | { readonly kind: 'desktop' }
  | { readonly kind: 'unattributed' }
  | { readonly kind: 'request' };

export interface BarPart {
  readonly key: string;
  readonly name: string;
  readonly bytes: number;
  readonly fill: BarFill;
}

export interface PlacedPart extends BarPart {
  readonly startPercent: number;
  readonly widthPercent: number;
}

/**
 * Lays parts one after the other on a bar of `scaleBytes`. What would run over the end is cut there, so that readings
 * taken at slightly different moments never draw past the card.
 */
export function placeParts(parts: readonly BarPart[], scaleBytes: number): readonly PlacedPart[] {
  let start = 0;
  return parts.flatMap((part) => {
    const end = Math.min(start + Math.max(0, part.bytes), scaleBytes);
    const placed = {
      ...part,
      startPercent: share(start, scaleBytes),
      widthPercent: share(end - start, scaleBytes),
    };
    start = end;
    return placed.widthPercent > 0 ? [placed] : [];
  });
}

/** A share of the scale in percent, 0 for an empty scale. */
export function share(bytes: number, scaleBytes: number): number {
  return scaleBytes <= 0 ? 0 : (bytes / scaleBytes) * 100;
}
