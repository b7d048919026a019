import type { SoftmaxAttention } from '../../model/architecture';
import { attentionNode, inputBias, llamaAttention, noBias, softmaxAttention } from '../../model/attention';
import { type Backbone, baseNode } from '../../model/backbone';
import { type ReadArchitecture, placed } from '../../model/decoderClasses';
import { languageModelFacts } from '../../model/facts';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { preNormLayer } from '../../model/layers';
import { type ModelClass, isLanguageModel } from '../../model/modelClass';
import { block, embedding, group, linear, list, norm } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { plainDecoder } from '../common/config/plainDecoder';

/** ChatGLM2, ChatGLM3 and GLM-4 9B with their output layer, which the base class has too. */
function chatglmBackbone(fields: ConfigFields): Backbone {
  const hidden = fields.size('hidden_size');
  const heads = fields.size('num_attention_heads');
  const headSize = fields.sizeOr('kv_channels', Math.max(1, Math.floor(hidden / heads)));
  const otherBias = fields.flag('add_bias_linear', false);
  const groups = fields.flag('multi_query_attention', false)
    ? fields.sizeOr('multi_query_group_num', 1)
    : heads;
  const attention: SoftmaxAttention = {
    ...softmaxAttention(fields, hidden, {
      headDim: headSize,
      projection: 'fused',
      bias: { ...(otherBias || fields.flag('add_qkv_bias', false) ? inputBias : noBias), output: otherBias },
    }),
    keyValueHeads: groups,
  };
  const mlp = gatedMlp(fields, { fused: true, bias: otherBias, activation: 'silu' });
  const layer = preNormLayer(attention, mlp, rmsNorm);
  const last = fields.flag('post_layer_norm', true);
  const backbone = plainDecoder(fields, {
    family: 'chatglm',
    positions: ropePositions(fields, headSize, { share: 0.5, interleaved: true }),
    norm: rmsNorm,
    layerOf: () => layer,
    blockOf: () =>
      block([
        norm('input_layernorm', hidden, rmsNorm),
        attentionNode(attention, hidden, {
          ...llamaAttention,
          module: 'self_attention',
          fused: 'query_key_value',
          output: 'dense',
        }),
        norm('post_attention_layernorm', hidden, rmsNorm),
        mlpNode(mlp, hidden, { ...llamaMlp, fused: 'dense_h_to_4h', down: 'dense_4h_to_h' }),
      ]),
    children: (blocks, _hidden, vocabulary) => [
      group('embedding', [embedding('word_embeddings', vocabulary, hidden)]),
      group('encoder', [list('layers', blocks), ...(last ? [norm('final_layernorm', hidden, rmsNorm)] : [])]),
      linear('output_layer', hidden, vocabulary),
    ],
    tokenTable: 'embedding.word_embeddings',
    head: {},
  });
  return { ...backbone, stack: { ...backbone.stack, path: 'encoder' } };
}

/** ChatGLM2, ChatGLM3 and GLM-4 9B by their published code; the base class has the output layer, too. */
export function readChatglm(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  const backbone = chatglmBackbone(fields);
  const { inputs, hiddenSize } = backbone.stack;
  const isBare = !isLanguageModel(modelClass) && modelClass.kind !== 'sequence-classification';
  const isClassifier = modelClass.kind === 'sequence-classification';
  return {
    family: backbone.family,
    className: modelClass.name,
    stacks: [placed(backbone.stack, isBare ? '' : 'transformer')],
    connectors: [],
    head: isClassifier
      ? { kind: 'classifier', labels: modelClass.labels, over: 'input', transform: null, dropout: 0 }
      : languageModelFacts(inputs.kind === 'tokens' ? inputs.vocabularySize : 0, false),
    modules: isBare
      ? baseNode(backbone, '')
      : group('', [
          baseNode(backbone, 'transformer'),
          isClassifier ? linear('classifier_head', hiddenSize, modelClass.labels, true) : null,
        ]),
    warnings: [],
  };
}
