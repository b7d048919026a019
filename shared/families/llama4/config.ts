/** Llama 4: experts with one shared expert, attention in chunks, and a vision tower in front. */
import { allBias, attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import { baseNode } from '../../model/backbone';
import { type ReadArchitecture, languageModelHead, placed } from '../../model/decoderClasses';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers, preNormLayer } from '../../model/layers';
import type { ModelClass } from '../../model/modelClass';
import { block, group, linear, list, norm, tensor } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { type Tower, patchCount, patchStack, towerFields } from '../common/config/patchTower';
import { languageBackbone } from '../common/config/visionLanguage';
import type { ListedTypes } from '../declaration';
import { defaults } from './defaults';

function llama4Vision(fields: ConfigFields): Tower {
  const hidden = fields.size('hidden_size');
  const attention = softmaxAttention(fields, hidden, { causal: false, bias: allBias });
  const mlp = gatedMlp(fields, { gated: false, bias: true, activation: 'gelu' });
  const facts = preNormLayer(attention, mlp, layerNorm);
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => facts,
    () =>
      block([
        attentionNode(attention, hidden, llamaAttention),
        mlpNode(mlp, hidden, { ...llamaMlp, up: 'fc1', down: 'fc2' }),
        norm('input_layernorm', hidden, layerNorm),
        norm('post_attention_layernorm', hidden, layerNorm),
      ]),
  );
  const patch = fields.sizeOr('patch_size', 14);
  const rows = patchCount(fields) + 1;
  const output = fields.sizeOr('projector_output_dim', 4096);
  const input = fields.sizeOr('projector_input_dim', 4096);
  return {
    stack: patchStack(fields, {
      hiddenSize: hidden,
      positions: { kind: 'learned' },
      extraTokens: 1,
      layers,
      path: 'model',
      finalNorm: layerNorm,
    }),
    children: [
      group('patch_embedding', [linear('linear', 3 * patch * patch, hidden)]),
      norm('layernorm_pre', hidden, layerNorm),
      norm('layernorm_post', hidden, layerNorm),
      group('model', [list('layers', nodes)]),
      group('vision_adapter', [
        group('mlp', [linear('fc1', fields.size('intermediate_size'), input), linear('fc2', output, output)]),
      ]),
    ],
    ownParameters: [tensor('class_embedding', hidden), tensor('positional_embedding_vlm', rows, hidden)],
  };
}

/** Here the language model keeps its own head, inside `language_model`. */
export function readLlama4(
  fields: ConfigFields,
  modelClass: ModelClass,
  listed: ListedTypes,
): ReadArchitecture {
  const language = languageBackbone(fields, 'llama4_text', listed);
  const own = towerFields(fields, 'vision_config', defaults.llama4_vision_model.part);
  const tower = llama4Vision(own);
  const inputSize = own.sizeOr('vision_output_dim', 7680);
  const outputSize = language.stack.hiddenSize;
  const head = languageModelHead(language, 'language_model.model');
  return {
    family: 'llama4',
    className: modelClass.name,
    stacks: [placed(tower.stack, 'vision_model'), placed(language.stack, 'language_model.model')],
    connectors: [{ path: 'multi_modal_projector' }],
    head: head.facts,
    modules: group('', [
      group('vision_model', tower.children, tower.ownParameters ?? []),
      group('multi_modal_projector', [linear('linear_1', inputSize, outputSize)]),
      group('language_model', [baseNode(language, 'model'), ...head.nodes]),
    ]),
    warnings: language.warnings,
  };
}
