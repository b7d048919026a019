/** BART and the encoder-decoders built like it: mBART, Pegasus, Marian, Blenderbot, M2M-100, PLBart, Whisper. */
import type { Head, Layer, SoftmaxAttention, Stack } from '../../model/architecture';
import { allBias, attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import { type ReadArchitecture, placed } from '../../model/decoderClasses';
import { languageModelFacts, tokenInputs } from '../../model/facts';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { ordinaryParts } from '../../model/layers';
import type { ModelClass } from '../../model/modelClass';
import type { ModuleNode } from '../../model/modules';
import {
  block,
  embedding,
  floatBuffer,
  fp32Buffer,
  frozen,
  group,
  linear,
  list,
  norm,
  tied,
  withBuffers,
} from '../../model/nodes';
import { layerNorm } from '../../model/norms';

interface BartStyle {
  readonly family: string;
  /** Rows of the position table beyond the longest sequence; null: positions are computed and have no table. */
  readonly extraRows: number | null;
  /** The table holds sines and is not trained. */
  readonly sines: boolean;
  /** A norm right after the embeddings, a norm after the last layer. */
  readonly embeddingNorm: boolean;
  readonly finalNorm: boolean;
  readonly placement: 'pre' | 'post';
}

const bartStyle: Omit<BartStyle, 'family'> = {
  extraRows: 2,
  sines: false,
  embeddingNorm: true,
  finalNorm: false,
  placement: 'post',
};

const styles: Readonly<Record<string, Omit<BartStyle, 'family'>>> = {
  readBart: bartStyle,
  mbart: { extraRows: 2, sines: false, embeddingNorm: true, finalNorm: true, placement: 'pre' },
  plbart: { extraRows: 2, sines: false, embeddingNorm: true, finalNorm: false, placement: 'post' },
  pegasus: { extraRows: 0, sines: true, embeddingNorm: false, finalNorm: true, placement: 'pre' },
  marian: { extraRows: 0, sines: true, embeddingNorm: false, finalNorm: false, placement: 'post' },
  blenderbot: { extraRows: 0, sines: false, embeddingNorm: false, finalNorm: true, placement: 'pre' },
  'blenderbot-small': {
    extraRows: 0,
    sines: false,
    embeddingNorm: true,
    finalNorm: false,
    placement: 'post',
  },
  m2m_100: { extraRows: null, sines: true, embeddingNorm: false, finalNorm: true, placement: 'pre' },
};

/** BART and its kin by `model_type`; an unknown type is read as BART. */
export function bart(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  const type = fields.text('model_type', 'bart');
  const style = Object.hasOwn(styles, type) ? styles[type] : undefined;
  return encoderDecoder(fields, modelClass, { family: 'bart', ...(style ?? bartStyle) });
}

/** Encoder or decoder: its facts and its module. */
export interface Side {
  readonly stack: Stack;
  readonly node: ModuleNode;
}

/** Attention of a side: `key` has no bias in Whisper. */
function sideAttention(
  fields: ConfigFields,
  hidden: number,
  prefix: string,
  keyBias: boolean,
): SoftmaxAttention {
  return softmaxAttention(fields, hidden, {
    heads: fields.optionalSize(`${prefix}_attention_heads`) ?? fields.size('num_attention_heads'),
    bias: { ...allBias, key: keyBias },
    dropout: fields.number('attention_dropout', 0),
    causal: prefix === 'decoder',
  });
}

/** The layer of one side; a decoder has attention over the encoder, too. */
export function sideLayer(
  fields: ConfigFields,
  hidden: number,
  prefix: 'encoder' | 'decoder',
  placement: 'pre' | 'post',
  keyBias = true,
): Layer {
  const attention = sideAttention(fields, hidden, prefix, keyBias);
  return {
    mixer: attention,
    cross: prefix === 'decoder' ? { ...attention, causal: false } : null,
    feedForward: gatedMlp(fields, {
      gated: false,
      bias: true,
      width: fields.optionalSize(`${prefix}_ffn_dim`) ?? fields.size('intermediate_size'),
      activation: fields.text('hidden_act', 'gelu'),
    }),
    norm: layerNorm,
    placement,
    norms: prefix === 'decoder' ? 3 : 2,
  };
}

/** The module of a layer of `sideLayer`. */
export function sideBlock(layer: Layer, hidden: number): ModuleNode {
  const { attention: mixer, mlp: feedForward } = ordinaryParts(layer);
  const { cross } = layer;
  const names = { ...llamaAttention, output: 'out_proj' };
  const attention = (name: string, facts: SoftmaxAttention): ModuleNode =>
    attentionNode(facts, hidden, { ...names, module: name, order: ['key', 'value', 'query', 'output'] });
  return block([
    attention('self_attn', mixer),
    norm('self_attn_layer_norm', hidden, layerNorm),
    cross === null ? null : attention('encoder_attn', cross),
    cross === null ? null : norm('encoder_attn_layer_norm', hidden, layerNorm),
    linear('fc1', hidden, feedForward.width, true),
    linear('fc2', feedForward.width, hidden, true),
    norm('final_layer_norm', hidden, layerNorm),
  ]);
}

/** Dropouts of one side; 0.1 where the file is silent, as in the class. */
export function sideDropout(fields: ConfigFields, prefix: string): Stack['dropout'] {
  const dropout = fields.number('dropout', 0.1);
  return {
    embedding: dropout,
    residual: dropout,
    activation: fields.number('activation_dropout', 0),
    layer: fields.number(`${prefix}_layerdrop`, 0),
  };
}

function side(
  fields: ConfigFields,
  prefix: 'encoder' | 'decoder',
  style: BartStyle,
  table: { readonly rows: number; readonly tiedTo: string | null },
): Side {
  const hidden = fields.size('hidden_size');
  const maxPositions = fields.sizeOr('max_position_embeddings', 1024);
  const layer = sideLayer(fields, hidden, prefix, style.placement);
  const layerCount = fields.layers(fields.has(`${prefix}_layers`) ? `${prefix}_layers` : 'num_hidden_layers');
  const tokens = embedding('embed_tokens', table.rows, hidden);
  const rows = style.extraRows === null ? null : maxPositions + style.extraRows;
  const positions =
    rows === null
      ? withBuffers(group('embed_positions', []), [floatBuffer('weights', maxPositions + 2, hidden)])
      : embedding('embed_positions', rows, hidden);
  return {
    stack: {
      role: prefix,
      path: prefix,
      hiddenSize: hidden,
      inputs: tokenInputs(table.rows, hidden, {
        scale: fields.flag('scale_embedding', false) ? Math.sqrt(hidden) : null,
        norm: style.embeddingNorm ? layerNorm : null,
      }),
      positions: rows === null || style.sines ? { kind: 'sinusoidal' } : { kind: 'learned' },
      layers: Array.from({ length: layerCount }, () => layer),
      finalNorm: style.finalNorm ? layerNorm : null,
      maxPositions,
      dropout: sideDropout(fields, prefix),
    },
    node: group(prefix, [
      table.tiedTo === null ? tokens : tied(tokens, { weight: table.tiedTo }),
      style.sines ? frozen(positions) : positions,
      list('layers', Array<ModuleNode>(layerCount).fill(sideBlock(layer, hidden))),
      style.embeddingNorm ? norm('layernorm_embedding', hidden, layerNorm) : null,
      style.finalNorm ? norm('layer_norm', hidden, layerNorm) : null,
    ]),
  };
}

function encoderDecoder(fields: ConfigFields, modelClass: ModelClass, style: BartStyle): ReadArchitecture {
  const hidden = fields.size('hidden_size');
  const vocabularySize = fields.size('vocab_size');
  const isBare = modelClass.kind === 'base' || modelClass.kind === 'unknown' || modelClass.kind === 'encoder';
  const path = isBare ? '' : 'model';
  const inside = (name: string): string => (path === '' ? name : `${path}.${name}`);
  // Marian models with two vocabularies have two tables and share neither.
  const isShared = fields.flag('share_encoder_decoder_embeddings', true);
  const decoderOnly = modelClass.kind === 'causal-language-model';
  const sharedName = isShared && !decoderOnly ? inside('shared.weight') : null;
  const decoderRows = isShared ? vocabularySize : fields.sizeOr('decoder_vocab_size', vocabularySize);
  const encoder = side(fields, 'encoder', style, { rows: vocabularySize, tiedTo: sharedName });
  const decoder = side(fields, 'decoder', style, { rows: decoderRows, tiedTo: sharedName });
  const children = decoderOnly
    ? [decoder.node]
    : [sharedName === null ? null : embedding('shared', vocabularySize, hidden), encoder.node, decoder.node];
  const tiedName = sharedName ?? (decoderOnly ? inside('decoder.embed_tokens.weight') : null);
  const head = bartHead(fields, modelClass, decoderRows, tiedName);
  return {
    family: style.family,
    className: modelClass.name,
    connectors: [],
    stacks: (decoderOnly ? [decoder.stack] : [encoder.stack, decoder.stack]).map((stack) =>
      placed(stack, path),
    ),
    head: head.facts,
    modules: withBuffers(
      group('', path === '' ? children : [group(path, children), ...head.nodes]),
      modelClass.kind === 'conditional-generation' && style.extraRows !== null
        ? [{ ...fp32Buffer('final_logits_bias', 1, decoderRows), followsDtype: true }]
        : [],
    ),
    warnings: [],
  };
}

function bartHead(
  fields: ConfigFields,
  modelClass: ModelClass,
  vocabularySize: number,
  tiedTo: string | null,
): { readonly facts: Head; readonly nodes: readonly ModuleNode[] } {
  const hidden = fields.size('hidden_size');
  const { labels } = modelClass;
  switch (modelClass.kind) {
    case 'conditional-generation':
    case 'causal-language-model':
    case 'pretraining': {
      const output = linear('lm_head', hidden, vocabularySize);
      const isTied = tiedTo !== null && fields.flag('tie_word_embeddings', true);
      return {
        facts: languageModelFacts(vocabularySize, isTied, {
          objective: modelClass.kind === 'causal-language-model' ? 'causal' : 'sequence-to-sequence',
        }),
        nodes: [isTied ? tied(output, { weight: tiedTo }) : output],
      };
    }
    case 'sequence-classification':
      return {
        facts: {
          kind: 'classifier',
          labels,
          over: 'input',
          transform: { size: hidden, activation: 'tanh' },
          dropout: fields.number('classifier_dropout', 0),
        },
        nodes: [
          group('classification_head', [
            linear('dense', hidden, hidden, true),
            linear('out_proj', hidden, labels, true),
          ]),
        ],
      };
    case 'question-answering':
      return {
        facts: { kind: 'classifier', labels: 2, over: 'span', transform: null, dropout: 0 },
        nodes: [linear('qa_outputs', hidden, 2, true)],
      };
    default:
      return { facts: { kind: 'none' }, nodes: [] };
  }
}
