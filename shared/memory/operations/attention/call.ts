import type { Shape, Tensor } from '../../tape/tensor';

/** One `scaled_dot_product_attention`: query [batch, heads, queries, d], key and value with their own number of heads. */
export interface AttentionCall {
  readonly query: Tensor;
  readonly key: Tensor;
  readonly value: Tensor;
  /** Added to the scores; null: none, or causality that the kernel knows by itself. */
  readonly mask: Tensor | null;
  readonly causal: boolean;
  readonly dropout: number;
  /**
   * A single key-value head that PyTorch was not told to repeat (`enable_gqa`): it broadcasts, which only plain operations can.
   */
  readonly broadcast?: boolean;
}

/** Sizes of a call; `headDim` and `valueDim` are elements of one head. */
export interface AttentionSizes {
  readonly batch: number;
  readonly heads: number;
  readonly queries: number;
  readonly headDim: number;
  readonly keyHeads: number;
  readonly keys: number;
  readonly valueDim: number;
  readonly elementBytes: number;
}

/** The sizes that a call's tensors have. */
export function attentionSizes({ query, key, value }: AttentionCall): AttentionSizes {
  const [batch = 1, heads = 1, queries = 1, headDim = 1] = query.shape;
  const [, keyHeads = 1, keys = 1] = key.shape;
  const valueDim = value.shape[3] ?? headDim;
  return { batch, heads, queries, headDim, keyHeads, keys, valueDim, elementBytes: query.elementBytes };
}

/** Gradients of query, key and value, in that order, in their own shapes. */
export function inputGradients({ query, key, value }: AttentionCall): () => Tensor[] {
  const { tape, elementBytes } = query;
  const shapes: readonly Shape[] = [query.shape, key.shape, value.shape];
  return () => shapes.map((shape) => tape.create(shape, elementBytes));
}

/** The next multiple. */
export const roundUp = (size: number, multiple: number): number => Math.ceil(size / multiple) * multiple;
