/** Wav2Vec2 and HuBERT: convolutions over the waveform, then an encoder over their frames. */
import type { Head, Layer, Stack } from '../../model/architecture';
import { allBias, attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import { type ReadArchitecture, placed } from '../../model/decoderClasses';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { type BuiltLayers, buildLayers } from '../../model/layers';
import type { ModelClass } from '../../model/modelClass';
import type { ModuleNode } from '../../model/modules';
import {
  block,
  convolution,
  floatBuffer,
  group,
  indexBuffer,
  linear,
  list,
  norm,
  tensor,
  withBuffers,
} from '../../model/nodes';
import { layerNorm } from '../../model/norms';

/** The convolutions: `conv_dim` channels each; only the first or all of them are normed. */
function featureExtractor(fields: ConfigFields): { readonly node: ModuleNode; readonly width: number } {
  const channels = fields.wholes('conv_dim') ?? [512, 512, 512, 512, 512, 512, 512];
  const kernels = fields.wholes('conv_kernel') ?? [10, 3, 3, 3, 3, 2, 2];
  const bias = fields.flag('conv_bias', false);
  const normsAll = fields.text('feat_extract_norm', 'group') === 'layer';
  const layers = channels.map((outputs, index) => {
    const inputs = index === 0 ? 1 : (channels[index - 1] ?? 1);
    return group('', [
      convolution('conv', inputs, outputs, [kernels[index] ?? 3], bias),
      normsAll || index === 0 ? norm('layer_norm', outputs, layerNorm) : null,
    ]);
  });
  return {
    node: group('feature_extractor', [list('conv_layers', layers)]),
    width: channels[channels.length - 1] ?? 512,
  };
}

function encoderLayers(fields: ConfigFields, hidden: number, isStable: boolean): BuiltLayers {
  const attention = softmaxAttention(fields, hidden, {
    bias: allBias,
    causal: false,
    dropout: fields.number('attention_dropout', 0.1),
  });
  const mlp = gatedMlp(fields, { gated: false, bias: true, activation: fields.text('hidden_act', 'gelu') });
  const facts: Layer = {
    mixer: attention,
    cross: null,
    feedForward: mlp,
    norm: layerNorm,
    placement: isStable ? 'pre' : 'post',
    norms: 2,
  };
  const names = { ...llamaAttention, module: 'attention', output: 'out_proj' };
  return buildLayers(
    fields.layers(),
    () => facts,
    () =>
      block([
        attentionNode(attention, hidden, { ...names, order: ['key', 'value', 'query', 'output'] }),
        norm('layer_norm', hidden, layerNorm),
        group('feed_forward', [
          linear('intermediate_dense', hidden, mlp.width, true),
          linear('output_dense', mlp.width, hidden, true),
        ]),
        norm('final_layer_norm', hidden, layerNorm),
      ]),
  );
}

/** A grouped convolution whose weight is kept as direction and length, or whose input is normed over the batch (HuBERT). */
function positionConvolution(fields: ConfigFields, hidden: number): ModuleNode {
  const width = fields.sizeOr('num_conv_pos_embeddings', 128);
  const groups = fields.sizeOr('num_conv_pos_embedding_groups', 16);
  const inputs = Math.floor(hidden / groups);
  if (fields.flag('conv_pos_batch_norm', false))
    return group('pos_conv_embed', [
      convolution('conv', inputs, hidden, [width]),
      withBuffers(norm('batch_norm', hidden, layerNorm), [
        floatBuffer('running_mean', hidden),
        floatBuffer('running_var', hidden),
        indexBuffer('num_batches_tracked'),
      ]),
    ]);
  const weight = group('parametrizations', [
    group('weight', [], [tensor('original0', 1, 1, width), tensor('original1', hidden, inputs, width)]),
  ]);
  return group('pos_conv_embed', [group('conv', [weight], [tensor('bias', hidden)])]);
}

/** Wav2Vec2 or HuBERT, by `model_type`. */
export function readWav2vec2(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  const base = fields.text('model_type', 'wav2vec2') === 'hubert' ? 'hubert' : 'wav2vec2';
  const hidden = fields.size('hidden_size');
  const isStable = fields.flag('do_stable_layer_norm', false);
  const { node, width } = featureExtractor(fields);
  const { layers, nodes } = encoderLayers(fields, hidden, isStable);
  const dropout = fields.number('hidden_dropout', 0.1);
  const stack: Stack = {
    role: 'audio',
    path: 'encoder',
    hiddenSize: hidden,
    inputs: { kind: 'audio', melBins: 1, frames: null },
    positions: { kind: 'none' },
    layers,
    finalNorm: layerNorm,
    maxPositions: null,
    dropout: {
      embedding: dropout,
      residual: dropout,
      activation: fields.number('activation_dropout', 0.1),
      layer: fields.number('layerdrop', 0.1),
    },
  };
  const hasProjectionNorm = fields.flag('feat_proj_layer_norm', true);
  const masks = fields.number('mask_time_prob', 0.05) > 0 || fields.number('mask_feature_prob', 0) > 0;
  const own = masks ? [tensor('masked_spec_embed', hidden)] : [];
  const children = [
    node,
    group('feature_projection', [
      hasProjectionNorm ? norm('layer_norm', width, layerNorm) : null,
      linear('projection', width, hidden, true),
    ]),
    group('encoder', [
      positionConvolution(fields, hidden),
      norm('layer_norm', hidden, layerNorm),
      list('layers', nodes),
    ]),
  ];
  const head = headOf(fields, modelClass, hidden, width);
  const bare = { family: 'wav2vec2', className: modelClass.name, connectors: [] };
  if (head === null)
    return {
      ...bare,
      stacks: [stack],
      head: { kind: 'none' },
      modules: group('', children, own),
      warnings: [],
    };
  return {
    ...bare,
    stacks: [placed(stack, base)],
    head: head.facts,
    modules: group('', [group(base, children, own), ...head.nodes]),
    warnings: [],
  };
}

interface BuiltHead {
  readonly facts: Head;
  readonly nodes: readonly ModuleNode[];
}

function headOf(
  fields: ConfigFields,
  modelClass: ModelClass,
  hidden: number,
  width: number,
): BuiltHead | null {
  const classifier = (labels: number, over: 'tokens' | 'input'): Head => ({
    kind: 'classifier',
    labels,
    over,
    transform: null,
    dropout: fields.number('final_dropout', 0.1),
  });
  switch (modelClass.kind) {
    case 'speech-recognition': {
      const letters = fields.sizeOr('vocab_size', 32);
      return { facts: classifier(letters, 'tokens'), nodes: [linear('lm_head', hidden, letters, true)] };
    }
    case 'sequence-classification':
    case 'audio-classification': {
      const size = fields.sizeOr('classifier_proj_size', 256);
      return {
        facts: classifier(modelClass.labels, 'input'),
        nodes: [linear('projector', hidden, size, true), linear('classifier', size, modelClass.labels, true)],
      };
    }
    case 'pretraining': {
      const size = fields.sizeOr('proj_codevector_dim', 256);
      const codes = fields.sizeOr('codevector_dim', 256);
      const groups = fields.sizeOr('num_codevector_groups', 2);
      const entries = groups * fields.sizeOr('num_codevectors_per_group', 320);
      return {
        facts: { kind: 'other' },
        nodes: [
          group(
            'quantizer',
            [linear('weight_proj', width, entries, true)],
            [tensor('codevectors', 1, entries, Math.floor(codes / groups))],
          ),
          linear('project_hid', hidden, size, true),
          linear('project_q', codes, size, true),
        ],
      };
    }
    default:
      return null;
  }
}
