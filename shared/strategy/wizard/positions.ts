import type { ModelFacts } from './model';

/** The model's positions where a sample is longer than they reach; null where it is not, or there is no limit. */
export function exceededPositions(
  { isImage, maxPositions }: Pick<ModelFacts, 'isImage' | 'maxPositions'>,
  sequence: number,
): number | null {
  return !isImage && maxPositions !== null && sequence > maxPositions ? maxPositions : null;
}
