/** Which part of a model a step works in, read from the engine's name of the place: a module's path, or a step's own name. */
import {
  clippingPlace,
  exchangeAt,
  lossPlace,
  receivedPlace,
  replicasPlace,
  sumsPlace,
} from '../tape/places';
import { optimizerNames } from '../training/optimizers';

/** The part of a model or a step that a place belongs to. */
export type PlacePart =
  | 'loss'
  | 'output-layer'
  | 'classifier'
  | 'token-embedding'
  | 'position-embedding'
  | 'patch-embedding'
  | 'connector'
  | 'attention'
  | 'cross-attention'
  | 'mixer'
  | 'router'
  | 'experts'
  | 'feed-forward'
  | 'norm'
  | 'block'
  | 'model'
  | 'gather'
  | 'reduce'
  | 'replicas'
  | 'summed-gradients'
  | 'received'
  | 'clipping'
  | 'optimizer'
  | 'unknown';

/** One of a model's several stacks; null where the path names none. */
export type TowerLocation = 'vision' | 'audio' | 'encoder' | 'decoder';

/** A place as it can be said. */
export interface StepLocation {
  readonly part: PlacePart;
  readonly tower: TowerLocation | null;
  /** The layer as the path counts it, from 0; `1.3`: the fourth block of the second stage. Null: outside of the layers. */
  readonly layer: string | null;
}

/** Lists whose indices count layers. T5 numbers the branches of a block with `layer`, which counts no layer there. */
const layerListPattern = /^(?:layers?|h|blocks?|albert_layer_groups|albert_layers)$/;
const indexPattern = /^\d+$/;
/** The tensor of a module, not a module: a parameter whose gradient is collected. */
const tensorNamePattern = /\.(?:weight|bias)$/;

/** Any text is answered: what is not recognised is `model` (a path outside of all layers) or `unknown` (no path). */
export function placeOf(at: string): StepLocation {
  const path = at.trim();
  const own = ownStep(path);
  if (own !== null) return { part: own, tower: null, layer: null };
  const exchange = exchangeAt(path);
  const segments = (exchange?.path ?? path).replace(tensorNamePattern, '').split('.');
  const layer = layerOf(segments);
  const tower = towerOf(segments);
  if (exchange !== null) return { part: exchange.kind, tower, layer };
  return { part: layer === null ? outsidePart(segments, tower) : insidePart(segments), tower, layer };
}

/** Steps that are no module. */
function ownStep(path: string): PlacePart | null {
  if (path === '') return 'unknown';
  if (path === lossPlace) return 'loss';
  if (path === clippingPlace) return 'clipping';
  if (path === replicasPlace) return 'replicas';
  if (path === sumsPlace) return 'summed-gradients';
  if (path === receivedPlace) return 'received';
  return optimizerNames.some((name) => name === path) ? 'optimizer' : null;
}

function layerOf(segments: readonly string[]): string | null {
  const indices: string[] = [];
  let list: string | null = null;
  for (const [place, segment] of segments.entries()) {
    const before = segments[place - 1] ?? '';
    if (!indexPattern.test(segment) || !layerListPattern.test(before)) continue;
    if (list === 'block' && before === 'layer') continue;
    list = before;
    indices.push(segment);
  }
  return indices.length === 0 ? null : indices.join('.');
}

function towerOf(segments: readonly string[]): TowerLocation | null {
  if (segments.some((segment) => /^vis(?:ion|ual)/.test(segment))) return 'vision';
  if (segments.some((segment) => segment.startsWith('audio'))) return 'audio';
  const [first = '', second = ''] = segments;
  // BERT's output layer is called `decoder`, too, within `cls` or `lm_head`.
  for (const tower of ['encoder', 'decoder'] as const)
    if (first === tower || (second === tower && !outputLayerPattern.test(first))) return tower;
  return null;
}

const outputLayerPattern =
  /^(?:lm_head|embed_out|output_projection|proj_out|head|cls|predictions|generator_predictions|generator_lm_head|vocab_\w+)$/;
const classifierPattern = /classifier$|^(?:classification_head|score|qa_outputs|pooler)$/;
const connectorPattern =
  /projector|merger|connector|perceiver|(?:modality|visual|text)_projection|embed_vision/;
const positionsPattern = /^(?:embed_positions|position_embeddings?|wpe|relative_attention_bias)$/;
const patchesPattern = /^(?:patch_embed\w*|conv_proj|patch_conv)$/;
const tokensPattern = /embed|^wte$|^shared$/;
const normPattern = /norm|^ln(?:_|\d|$)/i;

/** Before, between and after the stacks of layers. */
function outsidePart(segments: readonly string[], tower: TowerLocation | null): PlacePart {
  const has = (pattern: RegExp): boolean => segments.some((segment) => pattern.test(segment));
  const last = segments[segments.length - 1] ?? '';
  if (has(outputLayerPattern)) return 'output-layer';
  if (has(classifierPattern)) return 'classifier';
  if (has(connectorPattern)) return 'connector';
  if (normPattern.test(last)) return 'norm';
  if (has(positionsPattern)) return 'position-embedding';
  if (has(patchesPattern)) return 'patch-embedding';
  if (has(tokensPattern)) return tower === 'vision' ? 'patch-embedding' : 'token-embedding';
  return 'model';
}

const insideParts: readonly (readonly [PlacePart, RegExp])[] = [
  ['router', /^(?:gate|router|wg|shared_expert_gate)$/],
  ['experts', /expert|^block_sparse_moe$/],
  ['cross-attention', /^(?:encoder_attn|cross_?attn|cross_?attention|EncDecAttention)$/],
  ['attention', /attn|attention/i],
  ['mixer', /^(?:mixer|mamba\d?|ssm|conv|time_mix)$/],
  ['feed-forward', /mlp|ffn|feed_?forward|DenseReluDense|intermediate|^output$|^(?:fc|lin)\d$/i],
];

/** Within a layer; its norms are told from its branches by the last name. */
function insidePart(segments: readonly string[]): PlacePart {
  const lastList = segments.findLastIndex(
    (segment, place) => indexPattern.test(segment) && layerListPattern.test(segments[place - 1] ?? ''),
  );
  const inner = segments.slice(lastList + 1);
  if (inner.length === 0) return 'block';
  if (normPattern.test(inner[inner.length - 1] ?? '')) return 'norm';
  const found = insideParts.find(([, pattern]) => inner.some((segment) => pattern.test(segment)));
  return found?.[0] ?? 'block';
}
