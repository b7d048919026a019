/** Which part of a model a step works in, read from the engine's name of the place: a module's path, or a step's own name. */
import {
  CLIPPING_PLACE,
  exchangeAt,
  LOSS_PLACE,
  RECEIVED_PLACE,
  REPLICAS_PLACE,
  SUMS_PLACE,
} from '../tape/places';
import { OPTIMIZERS } from '../training/optimizers';

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
export type Tower = 'vision' | 'audio' | 'encoder' | 'decoder';

/** A place as it can be said. */
export interface Place {
  readonly part: PlacePart;
  readonly tower: Tower | null;
  /** The layer as the path counts it, from 0; `1.3`: the fourth block of the second stage. Null: outside of the layers. */
  readonly layer: string | null;
}

/** Lists whose indices count layers. T5 numbers the branches of a block with `layer`, which counts no layer there. */
const LAYER_LISTS = /^(?:layers?|h|blocks?|albert_layer_groups|albert_layers)$/;
const IS_INDEX = /^\d+$/;
/** The tensor of a module, not a module: a parameter whose gradient is collected. */
const TENSOR_NAME = /\.(?:weight|bias)$/;

/** Any text is answered: what is not recognised is `model` (a path outside of all layers) or `unknown` (no path). */
export function placeOf(at: string): Place {
  const path = at.trim();
  const own = ownStep(path);
  if (own !== null) return { part: own, tower: null, layer: null };
  const exchange = exchangeAt(path);
  const segments = (exchange?.path ?? path).replace(TENSOR_NAME, '').split('.');
  const layer = layerOf(segments);
  const tower = towerOf(segments);
  if (exchange !== null) return { part: exchange.kind, tower, layer };
  return { part: layer === null ? outsidePart(segments, tower) : insidePart(segments), tower, layer };
}

/** Steps that are no module. */
function ownStep(path: string): PlacePart | null {
  if (path === '') return 'unknown';
  if (path === LOSS_PLACE) return 'loss';
  if (path === CLIPPING_PLACE) return 'clipping';
  if (path === REPLICAS_PLACE) return 'replicas';
  if (path === SUMS_PLACE) return 'summed-gradients';
  if (path === RECEIVED_PLACE) return 'received';
  return OPTIMIZERS.some((name) => name === path) ? 'optimizer' : null;
}

function layerOf(segments: readonly string[]): string | null {
  const indices: string[] = [];
  let list: string | null = null;
  for (const [place, segment] of segments.entries()) {
    const before = segments[place - 1] ?? '';
    if (!IS_INDEX.test(segment) || !LAYER_LISTS.test(before)) continue;
    if (list === 'block' && before === 'layer') continue;
    list = before;
    indices.push(segment);
  }
  return indices.length === 0 ? null : indices.join('.');
}

function towerOf(segments: readonly string[]): Tower | null {
  if (segments.some((segment) => /^vis(?:ion|ual)/.test(segment))) return 'vision';
  if (segments.some((segment) => segment.startsWith('audio'))) return 'audio';
  const [first = '', second = ''] = segments;
  // BERT's output layer is called `decoder`, too, within `cls` or `lm_head`.
  for (const tower of ['encoder', 'decoder'] as const)
    if (first === tower || (second === tower && !OUTPUT_LAYER.test(first))) return tower;
  return null;
}

const OUTPUT_LAYER =
  /^(?:lm_head|embed_out|output_projection|proj_out|head|cls|predictions|generator_predictions|generator_lm_head|vocab_\w+)$/;
const CLASSIFIER = /classifier$|^(?:classification_head|score|qa_outputs|pooler)$/;
const CONNECTOR = /projector|merger|connector|perceiver|(?:modality|visual|text)_projection|embed_vision/;
const POSITIONS = /^(?:embed_positions|position_embeddings?|wpe|relative_attention_bias)$/;
const PATCHES = /^(?:patch_embed\w*|conv_proj|patch_conv)$/;
const TOKENS = /embed|^wte$|^shared$/;
const NORM = /norm|^ln(?:_|\d|$)/i;

/** Before, between and after the stacks of layers. */
function outsidePart(segments: readonly string[], tower: Tower | null): PlacePart {
  const has = (pattern: RegExp): boolean => segments.some((segment) => pattern.test(segment));
  const last = segments[segments.length - 1] ?? '';
  if (has(OUTPUT_LAYER)) return 'output-layer';
  if (has(CLASSIFIER)) return 'classifier';
  if (has(CONNECTOR)) return 'connector';
  if (NORM.test(last)) return 'norm';
  if (has(POSITIONS)) return 'position-embedding';
  if (has(PATCHES)) return 'patch-embedding';
  if (has(TOKENS)) return tower === 'vision' ? 'patch-embedding' : 'token-embedding';
  return 'model';
}

const INSIDE: readonly (readonly [PlacePart, RegExp])[] = [
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
    (segment, place) => IS_INDEX.test(segment) && LAYER_LISTS.test(segments[place - 1] ?? ''),
  );
  const inner = segments.slice(lastList + 1);
  if (inner.length === 0) return 'block';
  if (NORM.test(inner[inner.length - 1] ?? '')) return 'norm';
  const found = INSIDE.find(([, pattern]) => inner.some((segment) => pattern.test(segment)));
  return found?.[0] ?? 'block';
}
