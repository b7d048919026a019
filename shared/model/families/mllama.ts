/** Llama 3.2 Vision: a tower of tiles, and layers of the language model that look only at the image. */

import { attentionNode, llamaAttention, softmaxAttention } from '../attention';
import type { ReadArchitecture } from '../decoderClasses';
import { gatedMlp, llamaMlp, mlpNode } from '../feedForward';
import { Fields } from '../fields';
import { preNormLayer } from '../layers';
import type { ModelClass } from '../modelClass';
import type { ModuleNode } from '../modules';
import { block, convolution, embedding, group, linear, list, norm, tensor } from '../nodes';
import { layerNorm } from '../norms';
import { towerDefaults } from '../towerDefaults';
import type { Tower } from './clip';
import { connectorPart, towerPart, visionLanguage, type Part } from './visionLanguage';
import { patchStack } from './visionTowers';
import { fixedPatchCount } from './vit';

/** Every way to lay an image out in tiles has position tables of its own, and there is one row for none. */
function mllamaVision(fields: Fields): Tower {
  const hidden = fields.size('hidden_size');
  const kind = layerNorm(fields.number('norm_eps', 1e-5));
  const heads = fields.sizeOr('attention_heads', fields.sizeOr('num_attention_heads', 16));
  const attention = softmaxAttention(fields, hidden, { heads, causal: false });
  const self = { ...attention, keyValueHeads: heads };
  const mlp = gatedMlp(fields, { gated: false, bias: true, activation: 'gelu' });
  const facts = preNormLayer(self, mlp, kind);
  const visionBlock = (gated: boolean): ModuleNode =>
    block(
      [
        attentionNode(self, hidden, llamaAttention),
        mlpNode(mlp, hidden, { ...llamaMlp, up: 'fc1', down: 'fc2' }),
        norm('input_layernorm', hidden, kind),
        norm('post_attention_layernorm', hidden, kind),
      ],
      gated ? [tensor('gate_attn', 1), tensor('gate_ffn', 1)] : [],
    );
  const local = fields.layers();
  const global = fields.sizeOr('num_global_layers', 8);
  const rows = fixedPatchCount(fields) + 1;
  const tiles = fields.sizeOr('max_num_tiles', 4);
  const layouts = (fields.list('supported_aspect_ratios')?.length ?? 8) + 1;
  const tilePositions = (name: string): ModuleNode =>
    group(name, [embedding('embedding', layouts, tiles * hidden)], [tensor('gate', 1)]);
  return {
    stack: patchStack(fields, {
      hidden,
      norm: kind,
      positions: { kind: 'learned', rows },
      extraTokens: 1,
      patchBias: false,
      inputNorm: kind,
      layers: Array.from({ length: local + global }, () => facts),
      path: 'transformer',
      finalNorm: kind,
    }),
    children: [
      convolution(
        'patch_embedding',
        fields.sizeOr('num_channels', 3),
        hidden,
        fields.pair('patch_size') ?? [14, 14],
        false,
      ),
      group(
        'gated_positional_embedding',
        [embedding('tile_embedding', layouts, tiles * rows * hidden)],
        [tensor('gate', 1), tensor('embedding', rows, hidden)],
      ),
      tilePositions('pre_tile_positional_embedding'),
      tilePositions('post_tile_positional_embedding'),
      norm('layernorm_pre', hidden, kind),
      norm('layernorm_post', hidden, kind),
      group('transformer', [list('layers', Array<ModuleNode>(local).fill(visionBlock(false)))]),
      group('global_transformer', [list('layers', Array<ModuleNode>(global).fill(visionBlock(true)))]),
    ],
    ownParameters: [tensor('class_embedding', hidden)],
  };
}

export function mllama(fields: Fields, modelClass: ModelClass): ReadArchitecture {
  return visionLanguage(fields, modelClass, {
    family: 'mllama',
    baseClass: 'MllamaModel',
    textType: 'mllama_text_model',
    tie: { by: 'never' },
    parts: (whole, language): readonly Part[] => {
      const own = (whole.part('vision_config') ?? new Fields({}, 'vision_config')).over(
        towerDefaults['mllama_vision_model'] ?? {},
      );
      const inputSize = own.sizeOr('vision_output_dim', 7680);
      const outputSize = language.stack.hiddenSize;
      const facts = { inputSize, outputSize, widths: [], activation: null, merge: 1 };
      return [
        towerPart('vision_model', 'mllama_vision_model', mllamaVision(own)),
        { kind: 'language' },
        connectorPart(linear('multi_modal_projector', inputSize, outputSize, true), facts),
      ];
    },
  });
}
