/** Llama 4: experts with one shared expert, attention in chunks, and a vision tower in front. */

import { allBias, attentionNode, llamaAttention, softmaxAttention } from '../attention';
import { baseNode } from '../backbone';
import { languageModelHead, placed, type ReadArchitecture } from '../decoderClasses';
import { gatedMlp, llamaMlp, mlpNode } from '../feedForward';
import { Fields } from '../fields';
import { buildLayers, preNormLayer } from '../layers';
import { classWarnings } from '../facts';
import { isLanguageModel, type ModelClass } from '../modelClass';
import { block, group, linear, list, norm, tensor } from '../nodes';
import { layerNorm } from '../norms';
import { towerDefaults } from '../towerDefaults';
import type { Tower } from './clip';
import { languageBackbone } from './visionLanguage';
import { patchStack } from './visionTowers';
import { fixedPatchCount } from './vit';

function llama4Vision(fields: Fields): Tower {
  const hidden = fields.size('hidden_size');
  const kind = layerNorm(1e-5);
  const attention = softmaxAttention(fields, hidden, { causal: false, bias: allBias });
  const mlp = gatedMlp(fields, { gated: false, bias: true, activation: 'gelu' });
  const facts = preNormLayer(attention, mlp, kind);
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => facts,
    () =>
      block([
        attentionNode(attention, hidden, llamaAttention),
        mlpNode(mlp, hidden, { ...llamaMlp, up: 'fc1', down: 'fc2' }),
        norm('input_layernorm', hidden, kind),
        norm('post_attention_layernorm', hidden, kind),
      ]),
  );
  const patch = fields.sizeOr('patch_size', 14);
  const rows = fixedPatchCount(fields) + 1;
  const output = fields.sizeOr('projector_output_dim', 4096);
  const input = fields.sizeOr('projector_input_dim', 4096);
  return {
    stack: patchStack(fields, {
      hidden,
      norm: kind,
      positions: { kind: 'learned', rows },
      extraTokens: 1,
      patchBias: false,
      inputNorm: kind,
      layers,
      path: 'model',
      finalNorm: kind,
    }),
    children: [
      group('patch_embedding', [linear('linear', 3 * patch * patch, hidden)]),
      norm('layernorm_pre', hidden, kind),
      norm('layernorm_post', hidden, kind),
      group('model', [list('layers', nodes)]),
      group('vision_adapter', [
        group('mlp', [linear('fc1', fields.size('intermediate_size'), input), linear('fc2', output, output)]),
      ]),
    ],
    ownParameters: [tensor('class_embedding', hidden), tensor('positional_embedding_vlm', rows, hidden)],
  };
}

/** Here the language model keeps its own head, inside `language_model`. */
export function llama4(fields: Fields, modelClass: ModelClass): ReadArchitecture {
  const language = languageBackbone(fields, 'llama4_text');
  const own = (fields.part('vision_config') ?? new Fields({}, 'vision_config')).over(
    towerDefaults['llama4_vision_model'] ?? {},
  );
  const tower = llama4Vision(own);
  const inputSize = own.sizeOr('vision_output_dim', 7680);
  const outputSize = language.stack.hiddenSize;
  const head = languageModelHead(language, 'language_model.model');
  return {
    family: 'llama4',
    className: modelClass.name,
    stacks: [placed(tower.stack, 'vision_model'), placed(language.stack, 'language_model.model')],
    connectors: [
      { path: 'multi_modal_projector', inputSize, outputSize, widths: [], activation: null, merge: 4 },
    ],
    head: head.facts,
    modules: group('', [
      group('vision_model', tower.children, tower.ownParameters ?? []),
      group('multi_modal_projector', [linear('linear_1', inputSize, outputSize)]),
      group('language_model', [baseNode(language, 'model'), ...head.nodes]),
    ]),
    warnings: [...language.warnings, ...classWarnings(modelClass, isLanguageModel(modelClass))],
  };
}
