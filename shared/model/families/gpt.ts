/** GPT-2 and the decoders shaped after it, each under its own module names. */
import type { Stack } from '../architecture';
import {
  allBias,
  attentionNode,
  llamaAttention,
  noBias,
  softmaxAttention,
  type AttentionNames,
} from '../attention';
import type { Backbone } from '../backbone';
import { llamaMlp, mlpNode, type MlpNames } from '../feedForward';
import type { Fields } from '../fields';
import { ordinaryParts } from '../layers';
import {
  block,
  conv1d,
  embedding,
  fp32Buffer,
  group,
  list,
  maskBuffer,
  norm,
  rotary,
  withBuffers,
} from '../nodes';
import { layerNorm } from '../norms';
import { ropePositions } from '../positions';
import { gptBlock, layerFacts, plainDecoder, plainMlp } from './plainDecoder';

const gptDropout = (fields: Fields): Partial<Stack['dropout']> => ({
  embedding: fields.number('embd_pdrop', fields.number('embed_dropout', 0.1)),
  residual: fields.number('resid_pdrop', fields.number('resid_dropout', 0.1)),
});

/** GPT-2: learned positions, transposed linear layers, everything with a bias. */
export function gpt2(fields: Fields): Backbone {
  const rows = fields.sizeOr('max_position_embeddings', 1024);
  const attention = softmaxAttention(fields, fields.size('hidden_size'), {
    bias: allBias,
    projection: 'fused',
    dropout: fields.number('attention_dropout', 0.1),
  });
  const facts = layerFacts(attention, plainMlp(fields, 'gelu_new'), layerNorm);
  return plainDecoder(fields, {
    family: 'gpt2',
    positions: { kind: 'learned' },
    norm: layerNorm,
    layerOf: () => facts,
    blockOf: (layer, hidden) => {
      const { mlp } = ordinaryParts(layer);
      return block([
        norm('ln_1', hidden, layerNorm),
        group('attn', [conv1d('c_attn', hidden, 3 * hidden), conv1d('c_proj', hidden, hidden)]),
        norm('ln_2', hidden, layerNorm),
        group('mlp', [conv1d('c_fc', hidden, mlp.width), conv1d('c_proj', mlp.width, hidden)]),
      ]);
    },
    children: (blocks, hidden, vocabulary) => [
      embedding('wte', vocabulary, hidden),
      embedding('wpe', rows, hidden),
      list('h', blocks),
      norm('ln_f', hidden, layerNorm),
    ],
    tokenTable: 'wte',
    head: { tied: true },
    dropout: gptDropout(fields),
  });
}

/** GPT-BigCode (SantaCoder, StarCoder): GPT-2 with one key and value head where `multi_query`. */
export function gptBigCode(fields: Fields): Backbone {
  const rows = fields.sizeOr('max_position_embeddings', 1024);
  const multiQuery = fields.flag('multi_query', true);
  const base = softmaxAttention(fields, fields.size('hidden_size'), {
    bias: allBias,
    projection: 'fused',
    dropout: fields.number('attention_dropout', 0.1),
  });
  const attention = { ...base, keyValueHeads: multiQuery ? 1 : base.heads };
  const facts = layerFacts(attention, plainMlp(fields, 'gelu_pytorch_tanh'), layerNorm);
  return plainDecoder(fields, {
    family: 'gpt_bigcode',
    positions: { kind: 'learned' },
    norm: layerNorm,
    layerOf: () => facts,
    blockOf: gptBlock(
      { ...llamaAttention, module: 'attn', fused: 'c_attn', output: 'c_proj' },
      { ...llamaMlp, up: 'c_fc', down: 'c_proj' },
      ['ln_1', 'ln_2'],
    ),
    children: (blocks, hidden, vocabulary) => [
      embedding('wte', vocabulary, hidden),
      embedding('wpe', rows, hidden),
      list('h', blocks),
      norm('ln_f', hidden, layerNorm),
    ],
    ownBuffers: [maskBuffer('bias', rows, rows)],
    tokenTable: 'wte',
    head: { tied: true },
    dropout: gptDropout(fields),
  });
}

const splitAttention: AttentionNames = {
  ...llamaAttention,
  output: 'out_proj',
  order: ['key', 'value', 'query', 'output'],
};

/** GPT-Neo: every other layer sees only a window; no bias on query, key and value. */
export function gptNeo(fields: Fields): Backbone {
  const rows = fields.sizeOr('max_position_embeddings', 2048);
  const attention = softmaxAttention(fields, fields.size('hidden_size'), {
    bias: { ...noBias, output: true },
  });
  const kinds = fields.list('attention_layers');
  const window = fields.sizeOr('window_size', 256);
  const local = (index: number): boolean => (kinds === null ? index % 2 === 1 : kinds[index] === 'local');
  const mlp = plainMlp(fields, 'gelu_new');
  return plainDecoder(fields, {
    family: 'gpt_neo',
    positions: { kind: 'learned' },
    norm: layerNorm,
    layerOf: (index) => layerFacts({ ...attention, window: local(index) ? window : null }, mlp, layerNorm),
    blockOf: (layer, hidden) => {
      const facts = ordinaryParts(layer);
      const inner = attentionNode(facts.attention, hidden, { ...splitAttention, module: 'attention' });
      return block([
        norm('ln_1', hidden, layerNorm),
        group('attn', [withBuffers(inner, [maskBuffer('bias', 1, 1, rows, rows)])]),
        norm('ln_2', hidden, layerNorm),
        mlpNode(facts.mlp, hidden, { ...llamaMlp, up: 'c_fc', down: 'c_proj' }),
      ]);
    },
    children: (blocks, hidden, vocabulary) => [
      embedding('wte', vocabulary, hidden),
      embedding('wpe', rows, hidden),
      list('h', blocks),
      norm('ln_f', hidden, layerNorm),
    ],
    tokenTable: 'wte',
    head: { tied: true },
    dropout: gptDropout(fields),
  });
}

/** GPT-J and CodeGen: attention and MLP side by side after one norm, a head with bias. */
export function gptJ(fields: Fields): Backbone {
  const hiddenSize = fields.size('hidden_size');
  const fused = fields.text('model_type', '') === 'codegen';
  const attention = softmaxAttention(fields, hiddenSize, { projection: fused ? 'fused' : 'separate' });
  const rotaryDim = fields.sizeOr('rotary_dim', attention.headDim);
  const rows = fields.sizeOr('max_position_embeddings', 2048);
  const facts = layerFacts(attention, plainMlp(fields, 'gelu_new'), layerNorm, true, 1);
  const names = { ...splitAttention, module: 'attn' };
  const order: AttentionNames['order'] = fused ? ['fused', 'output'] : names.order;
  return plainDecoder(fields, {
    family: 'gptj',
    positions: { kind: 'rope', rotaryDim, interleaved: true },
    norm: layerNorm,
    layerOf: () => facts,
    blockOf: (layer, hidden) => {
      const { mlp } = ordinaryParts(layer);
      const inner = attentionNode(attention, hidden, { ...names, order });
      return block([
        norm('ln_1', hidden, layerNorm),
        withBuffers(inner, [fp32Buffer('embed_positions', rows, rotaryDim)]),
        mlpNode(mlp, hidden, { ...llamaMlp, up: 'fc_in', down: 'fc_out' }),
      ]);
    },
    children: (blocks, hidden, vocabulary) => [
      embedding('wte', vocabulary, hidden),
      list('h', blocks),
      norm('ln_f', hidden, layerNorm),
    ],
    tokenTable: 'wte',
    head: { bias: true },
    dropout: {
      embedding: fields.number('embd_pdrop', 0),
      residual: fields.number('resid_pdrop', 0),
    },
  });
}

const neoxAttention: AttentionNames = {
  ...llamaAttention,
  module: 'attention',
  fused: 'query_key_value',
  output: 'dense',
};
/** The names of GPT-NeoX's MLP, which Falcon and BLOOM have, too. */
export const neoxMlp: MlpNames = { ...llamaMlp, up: 'dense_h_to_4h', down: 'dense_4h_to_h' };

/** GPT-NeoX (Pythia, RedPajama, Dolly): two norms that may run side by side, a quarter of each head rotated. */
export function gptNeoX(fields: Fields): Backbone {
  const bias = fields.flag('attention_bias', true);
  const attention = softmaxAttention(fields, fields.size('hidden_size'), {
    bias: bias ? allBias : noBias,
    projection: 'fused',
  });
  const positions = ropePositions(fields, attention.headDim, { share: 0.25 });
  const facts = layerFacts(
    attention,
    plainMlp(fields, 'gelu'),
    layerNorm,
    fields.flag('use_parallel_residual', true),
  );
  return plainDecoder(fields, {
    family: 'gpt_neox',
    positions,
    norm: layerNorm,
    layerOf: () => facts,
    blockOf: (layer, hidden) => {
      const parts = ordinaryParts(layer);
      return block([
        norm('input_layernorm', hidden, layerNorm),
        norm('post_attention_layernorm', hidden, layerNorm),
        attentionNode(parts.attention, hidden, neoxAttention),
        mlpNode(parts.mlp, hidden, neoxMlp),
      ]);
    },
    children: (blocks, hidden, vocabulary) => [
      embedding('embed_in', vocabulary, hidden),
      list('layers', blocks),
      norm('final_layer_norm', hidden, layerNorm),
      rotary('rotary_emb', positions.kind === 'rope' ? positions.rotaryDim : 0),
    ],
    tokenTable: 'embed_in',
    head: { base: 'gpt_neox' },
    dropout: {
      embedding: fields.number('hidden_dropout', 0),
      residual: fields.number('hidden_dropout', 0),
    },
  });
}
