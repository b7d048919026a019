import type { FeedForward, Layer, Mixer, Mlp, Norm, SoftmaxAttention } from './architecture';
import type { ModuleNode } from './modules';
import { renamed } from './nodes';

/** A layer's facts and its module, whose name does not matter: the index becomes it. */
interface BuiltLayer {
  readonly layer: Layer;
  readonly node: ModuleNode;
}

/** Facts and modules of all layers, by index. */
export interface BuiltLayers {
  readonly layers: readonly Layer[];
  readonly nodes: readonly ModuleNode[];
}

/** A layer with a norm before each branch, as most have. */
export function preNormLayer(mixer: Mixer, feedForward: FeedForward, norm: Norm): Layer {
  return { mixer, cross: null, feedForward, norm, placement: 'pre', norms: 2 };
}

/** The parts of a layer of softmax attention and an MLP, for families that build no other. */
export function ordinaryParts({ mixer, feedForward }: Layer): {
  readonly attention: SoftmaxAttention;
  readonly mlp: Mlp;
} {
  if (mixer.kind !== 'attention' || feedForward.kind !== 'mlp')
    throw new Error(`this family builds no layer of ${mixer.kind} and ${feedForward.kind}`);
  return { attention: mixer, mlp: feedForward };
}

/**
 * Builds `count` layers; those with equal facts and variant are built once and shared, so that `nodeOf` sees the first index of
 * them only. `variantOf` tells apart what has other modules for the same facts.
 */
export function buildLayers(
  count: number,
  factsOf: (index: number) => Layer,
  nodeOf: (layer: Layer, index: number) => ModuleNode,
  variantOf: (index: number) => string = () => '',
): BuiltLayers {
  const built = new Map<string, BuiltLayer>();
  const layers: Layer[] = [];
  const nodes: ModuleNode[] = [];
  for (let index = 0; index < count; index++) {
    const facts = factsOf(index);
    const key = `${variantOf(index)} ${JSON.stringify(facts)}`;
    const known = built.get(key) ?? { layer: facts, node: nodeOf(facts, index) };
    built.set(key, known);
    layers.push(known.layer);
    nodes.push(renamed(known.node, String(index)));
  }
  return { layers, nodes };
}
