/** The attention of llama and its relatives: projections, norms of query and key, rotation, attention, output projection. */
import type { SoftmaxAttention } from '../../../model/architecture';
import { concatenate, slice, split, splitHeads, view, viewWithGradientCopy } from '../../operations/layout';
import { linear } from '../../operations/linear';
import { layerNorm, normalize } from '../../operations/norms';
import type { Module } from '../../tape/module';
import { hold, last, release } from '../../tape/tape';
import type { Tensor } from '../../tape/tensor';
import { attendInLayer, type AttentionForm, attentionForm, isWrittenOut } from './attention';
import type { BlockContext } from './causalDecoder';
import { type RotaryCode, rotateQueryAndKey } from './rotary';
import { attendWithSinks } from './sinkAttention';

/** Where a family's code differs from llama's. */
export interface AttentionCode {
  readonly output: string;
  readonly queryNorm: string;
  readonly keyNorm: string;
  /**
   * When query and key are normed: each with its projection (Qwen3, OLMo 2), after all projections with positions in front
   * (Cohere) or heads in front (Gemma 3), or after the rotation (Hunyuan).
   */
  readonly norms: 'with-projection' | 'positions-first' | 'heads-first' | 'rotated';
  /** When a projection is looked at as heads: at once, or after all three (OLMo, StableLM). */
  readonly views: 'with-projection' | 'after-projections';
  readonly rotary: RotaryCode;
}

export const llamaAttentionCode: AttentionCode = {
  output: 'o_proj',
  queryNorm: 'q_norm',
  keyNorm: 'k_norm',
  norms: 'with-projection',
  views: 'with-projection',
  rotary: { form: 'halves', parts: 'inside' },
};

/** What an attention's forward needs of its block. */
export type AttentionContext = Pick<BlockContext, 'forward' | 'tables' | 'mask'>;

/** Attention of a layer over x [batch, positions, hidden]: its output, and eager attention's weights where the code returns them. */
export type AttentionForward = (
  context: AttentionContext,
  module: Module,
  attention: SoftmaxAttention,
  x: Tensor,
) => Tensor | [Tensor, Tensor];

/** `LlamaAttention.forward`. */
export const decoderAttention =
  (code: AttentionCode): AttentionForward =>
  (context, module, attention, x) =>
    attendByCode(code, context, module, attention, x);

function attendByCode(
  code: AttentionCode,
  { forward, tables, mask }: AttentionContext,
  module: Module,
  attention: SoftmaxAttention,
  x: Tensor,
): Tensor | [Tensor, Tensor] {
  const { tape, batch, sequence } = forward;
  const { heads, keyValueHeads, headDim, queryKeyNorm } = attention;
  const normed = (name: string, input: Tensor): Tensor =>
    queryKeyNorm === null
      ? input
      : queryKeyNorm.over === 'list'
        ? normOfEachHead(module.child(name), input)
        : queryKeyNorm.norm.kind === 'layer' && code.norms === 'heads-first'
          ? layerNorm(module.child(name), input, { input: true, gradient: false })
          : normalize(module.child(name), input, queryKeyNorm.norm);
  const headed = (input: Tensor, count: number, copied: boolean): Tensor =>
    splitHeads(input, [batch, count, sequence, headDim], copied);
  const nested = code.norms === 'with-projection' && queryKeyNorm !== null;
  const project = (projection: string, norm: string | null, count: number): Tensor => {
    const made = linear(module.child(projection), x);
    if (!nested || norm === null) return made;
    if (queryKeyNorm.over === 'all') return normed(norm, made);
    // The norm runs on [batch, positions, heads, d]; its gradient comes with heads in front and is copied for the projection.
    const inOrder = [batch, sequence, count, headDim];
    return normed(norm, count > 1 ? viewWithGradientCopy(made, inOrder) : view(made, inOrder));
  };
  /** `copied`: the gradient comes with heads in front and is copied for the projection. */
  const copied = !(nested && queryKeyNorm.over === 'head');
  /** Norms of query and key, each of which replaces its name. */
  const renamed = (name: string, input: Tensor): Tensor => {
    if (queryKeyNorm === null) return input;
    const output = hold(normed(name, input));
    // A LayerNorm kernel writes its rows in order, operations of Python keep the input's order.
    const { norm, over } = queryKeyNorm;
    output.positionsFirst = input.positionsFirst && (norm.kind === 'rms' || norm.fp32) && over !== 'list';
    release(input);
    return output;
  };
  const separateHeads = (): [Tensor, Tensor, Tensor, AttentionForm] => {
    const viewsFirst = code.views === 'with-projection';
    let plainQuery = hold(project('q_proj', code.queryNorm, heads));
    if (viewsFirst) plainQuery = hold(headed(last(plainQuery), heads, copied));
    let plainKey = hold(project('k_proj', code.keyNorm, keyValueHeads));
    if (viewsFirst) plainKey = hold(headed(last(plainKey), keyValueHeads, copied));
    let value = hold(project('v_proj', null, keyValueHeads));
    // Fused kernels give the value's gradient in the layout of the projection; plain products do not.
    const form = attentionForm(forward, attention, plainKey.elementBytes, mask !== null);
    if (!viewsFirst) {
      plainQuery = hold(headed(last(plainQuery), heads, copied));
      plainKey = hold(headed(last(plainKey), keyValueHeads, copied));
    }
    value = hold(headed(last(value), keyValueHeads, isWrittenOut(form)));
    return [plainQuery, plainKey, value, form];
  };
  /** One product, cut into its parts, each with a name (Phi-3). */
  const fusedHeads = (): [Tensor, Tensor, Tensor, AttentionForm] => {
    const joined = hold(linear(module.child('qkv_proj'), x));
    const form = attentionForm(forward, attention, joined.elementBytes, mask !== null);
    const counts = [heads, keyValueHeads, keyValueHeads];
    const parts = counts.map((count) => hold(slice(joined, count * headDim)));
    const [query, key, value] = parts.map((part, index) =>
      hold(headed(part, counts[index] ?? heads, index < 2 || isWrittenOut(form))),
    );
    if (query === undefined || key === undefined || value === undefined) throw new Error('Three parts.');
    return [query, key, value, form];
  };
  return tape.call(module.place, [x], () => {
    const [plainQuery, plainKey, value, form] =
      attention.projection === 'fused' ? fusedHeads() : separateHeads();
    const before = code.norms === 'positions-first' || code.norms === 'heads-first';
    let query = before ? renamed(code.queryNorm, plainQuery) : plainQuery;
    let key = before ? renamed(code.keyNorm, plainKey) : plainKey;
    if (attention.positions) [query, key] = rotateQueryAndKey(code.rotary, query, key, tables);
    if (code.norms === 'rotated') {
      query = renamed(code.queryNorm, query);
      key = renamed(code.keyNorm, key);
    }
    const [output, weights] = attention.sinks
      ? attendWithSinks(attention, query, key, value, mask, module.parameter('sinks'))
      : attendInLayer(form, attention, query, key, value, mask);
    if (weights !== undefined) hold(weights);
    const projected = linear(module.child(code.output), output);
    return weights === undefined ? projected : [projected, weights];
  });
}

/** StableLM's norms of query and key: a LayerNorm for each head, joined again. */
function normOfEachHead(module: Module, x: Tensor): Tensor {
  const [batch = 1, heads = 1, sequence = 1, headDim = 1] = x.shape;
  const norms = module.child('norms');
  return module.tape.call(module.place, [x], () => {
    const sizes = new Array<number>(heads).fill(headDim);
    const parts = split(view(x, [batch, sequence, heads * headDim]), sizes).map((part) => hold(part));
    const normed = parts.map((part, index) =>
      hold(layerNorm(norms.child(String(index)), part, { input: true, gradient: batch > 1 })),
    );
    return view(concatenate(normed), [batch, heads, sequence, headDim]);
  });
}
