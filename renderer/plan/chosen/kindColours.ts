import type { MemoryKind } from '../../../shared/memory/tape/log';

/**
 * The colour of each kind of memory, as a number of the palette of styles/tokens.css. Kinds that lie on each other in the
 * stack are far apart for every kind of colour vision.
 */
export const kindColours = {
  parameters: 0,
  optimizer: 1,
  buffers: 3,
  gradients: 2,
  activations: 4,
  logits: 5,
  workspace: 6,
} as const satisfies Record<MemoryKind, number>;
