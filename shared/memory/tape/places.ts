/** Names of what a step does outside of the model's modules, as places of its log. All others are paths of modules or names of tensors. */

export const lossPlace = 'loss';
export const clippingPlace = 'clip_grad_norm_';
/** DataParallel's copies of the weights, and the sums of their gradients. */
export const replicasPlace = 'replicate';
export const sumsPlace = 'reduce_add_coalesced';
/** A stage's buffers for what other stages send. */
export const receivedPlace = 'receive';

const gatherName = 'all-gather';
const reduceName = 'reduce-scatter';

/** Where a module's shards are gathered; an empty path is the model's. */
export const gatherPlace = (path: string): string => `${gatherName} ${path}`.trim();

/** Where the gradients of a module's shards are reduced. */
export const reducePlace = (path: string): string => `${reduceName} ${path}`.trim();

/** The module whose shards are exchanged at a place; null for any other place. */
export function exchangeAt(
  place: string,
): { readonly kind: 'gather' | 'reduce'; readonly path: string } | null {
  for (const [kind, name] of [
    ['gather', gatherName],
    ['reduce', reduceName],
  ] as const)
    if (place === name || place.startsWith(`${name} `)) return { kind, path: place.slice(name.length + 1) };
  return null;
}
