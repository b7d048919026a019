/** RWKV 4, 5 and 6: no attention; each layer mixes with the token before by learned weights. */
import type { Layer } from '../../model/architecture';
import { type Backbone, llamaHead } from '../../model/backbone';
import { noDropout, tokenInputs } from '../../model/facts';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers } from '../../model/layers';
import type { OwnTensor } from '../../model/modules';
import { block, embedding, group, linear, list, norm, tensor } from '../../model/nodes';
import { layerNorm } from '../../model/norms';

type Generation = 4 | 5 | 6;

/** The width of the second half where the file leaves it null: 4 times the hidden size, from RWKV 5 on 3.5 times in steps of 32. */
function widthOf(fields: ConfigFields, hidden: number, generation: Generation): number {
  const fallback = generation === 4 ? 4 * hidden : Math.floor((hidden * 3.5) / 32) * 32;
  return fields.sizeOr('intermediate_size', Math.max(1, fallback));
}

const mixes = (hidden: number, names: readonly string[]): readonly OwnTensor[] =>
  names.map((name) => tensor(name, 1, 1, hidden));

function timeMixing(
  hidden: number,
  inner: number,
  headSize: number,
  generation: Generation,
): readonly OwnTensor[] {
  const heads = Math.max(1, Math.floor(inner / headSize));
  switch (generation) {
    case 4:
      return [
        tensor('time_decay', inner),
        tensor('time_first', inner),
        ...mixes(hidden, ['time_mix_key', 'time_mix_value', 'time_mix_receptance']),
      ];
    case 5:
      return [
        tensor('time_decay', heads, headSize),
        tensor('time_faaaa', heads, headSize),
        ...mixes(hidden, ['time_mix_gate', 'time_mix_key', 'time_mix_value', 'time_mix_receptance']),
      ];
    case 6: {
      // Low-rank maps of 32 for the five mixes and of 64 for the decay; twice that from hidden size 4096 on.
      const rank = hidden >= 4096 ? 64 : 32;
      return [
        ...mixes(hidden, [
          'time_maa_x',
          'time_maa_w',
          'time_maa_k',
          'time_maa_v',
          'time_maa_r',
          'time_maa_g',
        ]),
        tensor('time_maa_w1', hidden, 5 * rank),
        tensor('time_maa_w2', 5, rank, hidden),
        tensor('time_decay', 1, 1, inner),
        tensor('time_decay_w1', hidden, 2 * rank),
        tensor('time_decay_w2', 2 * rank, inner),
        tensor('time_faaaa', heads, headSize),
      ];
    }
  }
}

function rwkvBackbone(fields: ConfigFields, generation: Generation): Backbone {
  const hidden = fields.size('hidden_size');
  const inner = fields.sizeOr('attention_hidden_size', hidden);
  const headSize = fields.sizeOr('head_size', 64);
  const width = widthOf(fields, hidden, generation);
  const vocabularySize = fields.size('vocab_size');
  const facts: Layer = {
    mixer: { kind: 'other', name: `rwkv-${String(generation)}` },
    cross: null,
    feedForward: gatedMlp(fields, { gated: false, width, activation: 'relu2' }),
    norm: layerNorm,
    placement: 'pre',
    norms: 2,
  };
  const isLater = generation > 4;
  const attention = group(
    'attention',
    [
      linear('key', hidden, inner),
      linear('value', hidden, inner),
      linear('receptance', hidden, inner),
      isLater ? linear('gate', hidden, inner) : null,
      linear('output', inner, hidden),
      isLater ? norm('ln_x', inner, layerNorm) : null,
    ],
    timeMixing(hidden, inner, headSize, generation),
  );
  const feedForward = group(
    'feed_forward',
    [linear('key', hidden, width), linear('receptance', hidden, hidden), linear('value', width, hidden)],
    mixes(hidden, generation === 6 ? ['time_maa_k', 'time_maa_r'] : ['time_mix_key', 'time_mix_receptance']),
  );
  const { layers, nodes } = buildLayers(
    fields.layers(),
    // The first layer has a norm of the embeddings in front.
    (index): Layer => ({ ...facts, norms: index === 0 ? 3 : 2 }),
    (layer) =>
      block([
        layer.norms === 3 ? norm('pre_ln', hidden, layerNorm) : null,
        norm('ln1', hidden, layerNorm),
        norm('ln2', hidden, layerNorm),
        attention,
        feedForward,
      ]),
  );
  return {
    family: 'rwkv',
    stack: {
      role: 'decoder',
      path: '',
      hiddenSize: hidden,
      inputs: tokenInputs(vocabularySize, hidden, { norm: layerNorm }),
      positions: { kind: 'none' },
      layers,
      finalNorm: layerNorm,
      maxPositions: fields.optionalSize('max_position_embeddings'),
      dropout: noDropout,
    },
    children: [
      embedding('embeddings', vocabularySize, hidden),
      list('blocks', nodes),
      norm('ln_out', hidden, layerNorm),
    ],
    ownParameters: [],
    ownBuffers: [],
    tokenTable: 'embeddings',
    head: {
      ...llamaHead,
      base: 'rwkv',
      name: 'head',
      // Files of RWKV 5 and 6 say that the head is tied, but the published weights have one of their own.
      tied: generation === 4 && fields.flag('tie_word_embeddings', false),
    },
    warnings: [],
  };
}

/** RWKV 4, which transformers has. */
export const readRwkv4 = (fields: ConfigFields): Backbone => rwkvBackbone(fields, 4);

/** RWKV 5 by its published code. */
export const readRwkv5 = (fields: ConfigFields): Backbone => rwkvBackbone(fields, 5);

/** RWKV 6 by its published code. */
export const readRwkv6 = (fields: ConfigFields): Backbone => rwkvBackbone(fields, 6);
