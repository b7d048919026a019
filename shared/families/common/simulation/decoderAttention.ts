/** The attention of llama and its relatives: projections, norms of query and key, rotation, attention, output projection. */
import {
  concatenate,
  slice,
  split,
  splitHeads,
  view,
  viewWithGradientCopy,
} from '../../../memory/operations/layout';
import { linear } from '../../../memory/operations/linear';
import { layerNorm, normalize } from '../../../memory/operations/norms';
import type { Module } from '../../../memory/tape/module';
import { hold, holdAll, last, release } from '../../../memory/tape/tape';
import type { Tensor } from '../../../memory/tape/tensor';
import type { SoftmaxAttention } from '../../../model/architecture';
import {
  type AttentionForm,
  type AttentionOutputs,
  attendInLayer,
  attentionForm,
  isWrittenOut,
} from './attention';
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

/**
 * What llama's code does.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/llama/modeling_llama.py#L217
 */
export const llamaAttentionCode: AttentionCode = {
  output: 'o_proj',
  queryNorm: 'q_norm',
  keyNorm: 'k_norm',
  norms: 'with-projection',
  views: 'with-projection',
  rotary: { form: 'halves', parts: 'inside' },
};

/** What an attention's forward needs of its block. */
export type AttentionContext = Pick<BlockContext, 'forward' | 'tables' | 'mask' | 'alibi'>;

/** Attention of a layer over x [batch, positions, hidden]: its output of that shape, and eager attention's weights where they are returned. */
export type AttentionForward = (
  context: AttentionContext,
  module: Module,
  attention: SoftmaxAttention,
  x: Tensor,
) => AttentionOutputs;

/**
 * `LlamaAttention.forward`. Backward keeps x once for the three projections, the kernel's query, key, value and output, and what the
 * rotation keeps, which is only its tables.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/llama/modeling_llama.py#L217
 */
export const decoderAttention =
  (code: AttentionCode): AttentionForward =>
  (context, module, facts, x) =>
    module.tape.call(module.place, [x], () => attendByCode({ code, context, module, facts, x }));

/** One attention's forward while it runs. */
interface Attending {
  readonly code: AttentionCode;
  readonly context: AttentionContext;
  readonly module: Module;
  readonly facts: SoftmaxAttention;
  readonly x: Tensor;
}

/** Query, key and value [batch, heads, positions, d], each under a name, and the form that attends to them. */
interface Heads {
  readonly query: Tensor;
  readonly key: Tensor;
  readonly value: Tensor;
  readonly form: AttentionForm;
}

function attendByCode(attending: Attending): AttentionOutputs {
  const { code, context, facts, module } = attending;
  const { mask, tables } = context;
  const heads = facts.projection === 'fused' ? fusedHeads(attending) : separateHeads(attending);
  let { query, key } = heads;
  if (code.norms === 'positions-first' || code.norms === 'heads-first')
    [query, key] = normQueryAndKey(attending, query, key);
  if (facts.positions) [query, key] = rotateQueryAndKey(code.rotary, query, key, tables);
  if (code.norms === 'rotated') [query, key] = normQueryAndKey(attending, query, key);
  const inputs = { query, key, value: heads.value, mask };
  const [output, ...weights] = facts.sinks
    ? attendWithSinks(facts, inputs, module.parameter('sinks'))
    : attendInLayer(heads.form, facts, inputs);
  holdAll(weights);
  return [linear(module.child(code.output), output), ...weights];
}

/** Three products. Fused kernels give the value's gradient in the layout of its projection; plain products do not. */
function separateHeads(attending: Attending): Heads {
  const { code, context, facts } = attending;
  const { heads, keyValueHeads } = facts;
  const viewsFirst = code.views === 'with-projection';
  // The gradients of query and key come with heads in front and are copied for the projection, by a norm over heads if there is one.
  const copied = !(normsWithProjection(attending) && facts.queryKeyNorm?.over === 'head');
  let query = hold(project(attending, 'q_proj', code.queryNorm, heads));
  if (viewsFirst) query = hold(inHeads(attending, last(query), heads, copied));
  let key = hold(project(attending, 'k_proj', code.keyNorm, keyValueHeads));
  if (viewsFirst) key = hold(inHeads(attending, last(key), keyValueHeads, copied));
  let value = hold(project(attending, 'v_proj', null, keyValueHeads));
  const form = attentionForm(context.forward, facts, key.elementBytes, context.mask !== null);
  if (!viewsFirst) {
    query = hold(inHeads(attending, last(query), heads, copied));
    key = hold(inHeads(attending, last(key), keyValueHeads, copied));
  }
  value = hold(inHeads(attending, last(value), keyValueHeads, isWrittenOut(form)));
  return { query, key, value, form };
}

/**
 * One product, cut into its parts, each with a name (Phi-3).
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/phi3/modeling_phi3.py#L200
 */
function fusedHeads(attending: Attending): Heads {
  const { context, facts, module, x } = attending;
  const { heads, keyValueHeads, headDim } = facts;
  const joined = hold(linear(module.child('qkv_proj'), x));
  const form = attentionForm(context.forward, facts, joined.elementBytes, context.mask !== null);
  const cut = (count: number): Tensor => hold(slice(joined, count * headDim));
  const [flatQuery, flatKey, flatValue] = [cut(heads), cut(keyValueHeads), cut(keyValueHeads)];
  return {
    query: hold(inHeads(attending, flatQuery, heads, true)),
    key: hold(inHeads(attending, flatKey, keyValueHeads, true)),
    value: hold(inHeads(attending, flatValue, keyValueHeads, isWrittenOut(form))),
    form,
  };
}

const inHeads = ({ context, facts }: Attending, flat: Tensor, count: number, copied: boolean): Tensor => {
  const { batch, sequence } = context.forward;
  return splitHeads(flat, [batch, count, sequence, facts.headDim], copied);
};

const normsWithProjection = ({ code, facts }: Attending): boolean =>
  code.norms === 'with-projection' && facts.queryKeyNorm !== null;

/** One product, and its norm where code norms each with its projection. */
function project(attending: Attending, name: string, norm: string | null, count: number): Tensor {
  const { context, facts, module, x } = attending;
  const { batch, sequence } = context.forward;
  const made = linear(module.child(name), x);
  if (norm === null || !normsWithProjection(attending)) return made;
  if (facts.queryKeyNorm?.over === 'all') return normed(attending, norm, made);
  // The norm runs on [batch, positions, heads, d]; its gradient comes with heads in front and is copied for the projection.
  const inOrder = [batch, sequence, count, facts.headDim];
  return normed(attending, norm, count > 1 ? viewWithGradientCopy(made, inOrder) : view(made, inOrder));
}

/** Norms of query and key, each of which replaces its name. */
function normQueryAndKey(attending: Attending, query: Tensor, key: Tensor): [Tensor, Tensor] {
  const { queryNorm, keyNorm } = attending.code;
  return [renamed(attending, queryNorm, query), renamed(attending, keyNorm, key)];
}

function renamed(attending: Attending, name: string, input: Tensor): Tensor {
  const { queryKeyNorm } = attending.facts;
  if (queryKeyNorm === null) return input;
  const output = hold(normed(attending, name, input));
  // A LayerNorm kernel writes its rows in order, operations of Python keep the input's order.
  const { norm, over } = queryKeyNorm;
  output.positionsFirst = input.positionsFirst && (norm.kind === 'rms' || norm.fp32) && over !== 'list';
  release(input);
  return output;
}

function normed({ code, facts, module }: Attending, name: string, input: Tensor): Tensor {
  const { queryKeyNorm } = facts;
  if (queryKeyNorm === null) return input;
  const { norm, over } = queryKeyNorm;
  if (over === 'list') return normOfEachHead(module.child(name), input);
  // Heads in front are not how the rows lie: the kernel copies them first.
  if (norm.kind === 'layer' && code.norms === 'heads-first')
    return layerNorm(module.child(name), input, { input: true, gradient: false });
  return normalize(module.child(name), input, norm);
}

/**
 * StableLM's norms of query and key: a LayerNorm for each head, joined again.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/stablelm/modeling_stablelm.py#L167
 */
function normOfEachHead(module: Module, x: Tensor): Tensor {
  const [batch = 1, heads = 1, sequence = 1, headDim = 1] = x.shape;
  const norms = module.child('norms');
  return module.tape.call(module.place, [x], () => {
    const sizes = new Array<number>(heads).fill(headDim);
    const parts = holdAll(split(view(x, [batch, sequence, heads * headDim]), sizes));
    const made = parts.map((part, index) =>
      hold(layerNorm(norms.child(String(index)), part, { input: true, gradient: batch > 1 })),
    );
    return view(concatenate(made), [batch, heads, sequence, headDim]);
  });
}
