/** Which layers of a mixture have experts and which a plain MLP, under the ways in which configs say so. */
import type { ConfigFields } from './configFields';

/**
 * In this order: `mlp_layer_types` (a list of `sparse` and `dense`), `moe_layer_freq` as a list of 0 and 1, the layers of
 * `mlp_only_layers` (dense), every `decoder_sparse_step`-th or `moe_layer_freq`-th layer, after the first
 * `first_k_dense_replace` dense ones. Files without any of these have experts everywhere.
 */
export function sparseLayers(fields: ConfigFields, firstDense = 0): (index: number) => boolean {
  const types = fields.names('mlp_layer_types');
  if (types !== null) return (index) => types[index] === 'sparse';
  const frequency = fields.find('moe_layer_freq')?.value;
  if (Array.isArray(frequency)) return (index) => frequency[index] === 1 || frequency[index] === true;
  const denseFirst = fields.count('first_k_dense_replace', firstDense);
  const step = fields.sizeOr('decoder_sparse_step', fields.sizeOr('moe_layer_freq', 1));
  // Qwen counts layers from 1 in its step, DeepSeek from 0.
  const offset = fields.has('decoder_sparse_step') ? 1 : 0;
  const denseOnly = new Set(fields.wholes('mlp_only_layers') ?? []);
  return (index) => index >= denseFirst && !denseOnly.has(index) && (index + offset) % step === 0;
}
