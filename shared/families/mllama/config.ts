/** Llama 3.2 Vision: a tower of tiles, and layers of the language model that look only at the image. */
import { attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { preNormLayer } from '../../model/layers';
import type { ModuleNode } from '../../model/modules';
import { block, convolution, embedding, group, linear, list, norm, tensor } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { type Tower, patchCount, patchStack, towerFields } from '../common/config/patchTower';
import { connectorPart, language, towerPart, visionLanguageReader } from '../common/config/visionLanguage';
import { defaults } from './defaults';

/** Every way to lay an image out in tiles has position tables of its own, and there is one row for none. */
function mllamaVision(fields: ConfigFields): Tower {
  const hidden = fields.size('hidden_size');
  const heads = fields.sizeOr('attention_heads', fields.sizeOr('num_attention_heads', 16));
  const attention = softmaxAttention(fields, hidden, { heads, causal: false });
  const self = { ...attention, keyValueHeads: heads };
  const mlp = gatedMlp(fields, { gated: false, bias: true, activation: 'gelu' });
  const facts = preNormLayer(self, mlp, layerNorm);
  const visionBlock = (gated: boolean): ModuleNode =>
    block(
      [
        attentionNode(self, hidden, llamaAttention),
        mlpNode(mlp, hidden, { ...llamaMlp, up: 'fc1', down: 'fc2' }),
        norm('input_layernorm', hidden, layerNorm),
        norm('post_attention_layernorm', hidden, layerNorm),
      ],
      gated ? [tensor('gate_attn', 1), tensor('gate_ffn', 1)] : [],
    );
  const local = fields.layers();
  const global = fields.sizeOr('num_global_layers', 8);
  const rows = patchCount(fields) + 1;
  const tiles = fields.sizeOr('max_num_tiles', 4);
  const layouts = (fields.list('supported_aspect_ratios')?.length ?? 8) + 1;
  const tilePositions = (name: string): ModuleNode =>
    group(name, [embedding('embedding', layouts, tiles * hidden)], [tensor('gate', 1)]);
  return {
    stack: patchStack(fields, {
      hiddenSize: hidden,
      positions: { kind: 'learned' },
      extraTokens: 1,
      layers: Array.from({ length: local + global }, () => facts),
      path: 'transformer',
      finalNorm: layerNorm,
    }),
    children: [
      convolution(
        'patch_embedding',
        fields.sizeOr('num_channels', 3),
        hidden,
        fields.sides('patch_size'),
        false,
      ),
      group(
        'gated_positional_embedding',
        [embedding('tile_embedding', layouts, tiles * rows * hidden)],
        [tensor('gate', 1), tensor('embedding', rows, hidden)],
      ),
      tilePositions('pre_tile_positional_embedding'),
      tilePositions('post_tile_positional_embedding'),
      norm('layernorm_pre', hidden, layerNorm),
      norm('layernorm_post', hidden, layerNorm),
      group('transformer', [list('layers', Array<ModuleNode>(local).fill(visionBlock(false)))]),
      group('global_transformer', [list('layers', Array<ModuleNode>(global).fill(visionBlock(true)))]),
    ],
    ownParameters: [tensor('class_embedding', hidden)],
  };
}

/** Llama 3.2 Vision with its tower. */
export const readMllama = visionLanguageReader({
  family: 'mllama',
  textType: 'mllama_text_model',
  tie: { by: 'never' },
  parts: (fields, { stack }) => {
    const own = towerFields(fields, 'vision_config', defaults.mllama_vision_model.part);
    const inputSize = own.sizeOr('vision_output_dim', 7680);
    return [
      towerPart('vision_model', mllamaVision(own)),
      language,
      connectorPart(linear('multi_modal_projector', inputSize, stack.hiddenSize, true)),
    ];
  },
});
