/** Vision towers that language models take in: CLIP's and SigLIP's, Pixtral's, InternVL's, Idefics3's. */
import { allBias, attentionNode, llamaAttention, noBias, softmaxAttention } from '../attention';
import { gatedMlp, llamaMlp, mlpNode } from '../feedForward';
import type { Fields } from '../fields';
import { buildLayers, preNormLayer } from '../layers';
import type { OwnTensor } from '../modules';
import { block, convolution, embedding, group, list, norm, rotary, tensor } from '../nodes';
import { layerNorm, rmsNorm } from '../norms';
import { towerDefaults } from '../towerDefaults';
import { clipVision } from './clip';
import { patchCount, patchStack, type Tower } from './tower';

/** The tower of a part of a config; null for a type that is not known. */
export function visionTower(fields: Fields, fallbackType: string): Tower | null {
  const type = fields.text('model_type', fallbackType);
  const full = fields.over(towerDefaults[type] ?? {});
  switch (type) {
    case 'clip_vision_model':
      return clipVision(full, 'clip');
    case 'siglip_vision_model':
      return clipVision(full, 'siglip');
    case 'pixtral':
      return pixtral(full);
    case 'internvl_vision':
      return internVl(full);
    case 'idefics3':
    case 'idefics3_vision':
    case 'smolvlm_vision':
      return idefics3(full.over(towerDefaults['idefics3_vision'] ?? {}));
    default:
      return null;
  }
}

/** Pixtral: rope over rows and columns, gated MLPs, RMS norms, no biases. */
function pixtral(fields: Fields): Tower {
  const hidden = fields.size('hidden_size');
  const attention = softmaxAttention(fields, hidden, {
    causal: false,
    keyValueHeads: fields.size('num_attention_heads'),
    headDim: Math.max(1, Math.floor(hidden / fields.size('num_attention_heads'))),
  });
  const mlp = gatedMlp(fields, { activation: fields.text('hidden_act', 'gelu') });
  const facts = preNormLayer(attention, mlp, rmsNorm);
  const names = { ...llamaAttention, module: 'attention' };
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => facts,
    () =>
      block([
        norm('attention_norm', hidden, rmsNorm),
        mlpNode(mlp, hidden, { ...llamaMlp, module: 'feed_forward' }),
        attentionNode(attention, hidden, { ...names, order: ['key', 'value', 'query', 'output'] }),
        norm('ffn_norm', hidden, rmsNorm),
      ]),
  );
  const patch = fields.sides('patch_size');
  return {
    stack: patchStack(fields, {
      hiddenSize: hidden,
      positions: {
        kind: 'rope',
        rotaryDim: attention.headDim,
        interleaved: false,
      },
      extraTokens: 0,
      layers,
      path: 'transformer',
      finalNorm: null,
    }),
    children: [
      convolution('patch_conv', fields.sizeOr('num_channels', 3), hidden, patch, false),
      norm('ln_pre', hidden, rmsNorm),
      group('transformer', [list('layers', nodes)]),
      rotary('patch_positional_embedding', attention.headDim),
    ],
  };
}

/** InternVL's: ViT with a scale learned for each branch. */
function internVl(fields: Fields): Tower {
  const hidden = fields.size('hidden_size');
  const isRms = fields.text('norm_type', 'layer_norm') === 'rms_norm';
  const normFacts = isRms ? rmsNorm : layerNorm;
  const attention = softmaxAttention(fields, hidden, {
    causal: false,
    bias: fields.flag('attention_bias', false) ? allBias : { ...noBias, output: true },
    queryKeyNorm: fields.flag('use_qk_norm', false) ? { over: 'all', norm: rmsNorm } : null,
  });
  const mlp = gatedMlp(fields, { gated: false, bias: true, activation: fields.text('hidden_act', 'gelu') });
  const facts = preNormLayer(attention, mlp, normFacts);
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => facts,
    () =>
      block(
        [
          attentionNode(attention, hidden, {
            ...llamaAttention,
            module: 'attention',
            output: 'projection_layer',
          }),
          mlpNode(mlp, hidden, { ...llamaMlp, up: 'fc1', down: 'fc2' }),
          norm('layernorm_before', hidden, normFacts),
          norm('layernorm_after', hidden, normFacts),
        ],
        [tensor('lambda_1', hidden), tensor('lambda_2', hidden)],
      ),
  );
  const patches = patchCount(fields);
  const patch = fields.sides('patch_size');
  const pooled = fields.flag('use_mean_pooling', true);
  const own: OwnTensor[] = [
    tensor('cls_token', 1, 1, hidden),
    ...(fields.flag('use_mask_token', false) ? [tensor('mask_token', 1, 1, hidden)] : []),
    ...(fields.flag('use_absolute_position_embeddings', true)
      ? [tensor('position_embeddings', 1, patches + 1, hidden)]
      : []),
  ];
  return {
    stack: patchStack(fields, {
      hiddenSize: hidden,
      positions: { kind: 'learned' },
      extraTokens: 1,
      layers,
      path: 'encoder',
      finalNorm: pooled ? null : normFacts,
    }),
    children: [
      group(
        'embeddings',
        [
          group('patch_embeddings', [
            convolution('projection', fields.sizeOr('num_channels', 3), hidden, patch),
          ]),
        ],
        own,
      ),
      group('encoder', [list('layer', nodes)]),
      ...(pooled ? [] : [norm('layernorm', hidden, normFacts)]),
    ],
  };
}

/** Idefics3's and SmolVLM's: SigLIP without pooling, with CLIP's order of modules. */
function idefics3(fields: Fields): Tower {
  const hidden = fields.size('hidden_size');
  const attention = softmaxAttention(fields, hidden, { causal: false, bias: allBias });
  const mlp = gatedMlp(fields, {
    gated: false,
    bias: true,
    activation: fields.text('hidden_act', 'gelu_pytorch_tanh'),
  });
  const facts = preNormLayer(attention, mlp, layerNorm);
  const names = { ...llamaAttention, output: 'out_proj' };
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => facts,
    () =>
      block([
        attentionNode(attention, hidden, { ...names, order: ['key', 'value', 'query', 'output'] }),
        norm('layer_norm1', hidden, layerNorm),
        mlpNode(mlp, hidden, { ...llamaMlp, up: 'fc1', down: 'fc2' }),
        norm('layer_norm2', hidden, layerNorm),
      ]),
  );
  const rows = patchCount(fields);
  const patch = fields.sides('patch_size');
  return {
    stack: patchStack(fields, {
      hiddenSize: hidden,
      positions: { kind: 'learned' },
      extraTokens: 0,
      layers,
      path: 'encoder',
      finalNorm: layerNorm,
    }),
    children: [
      group('embeddings', [
        convolution('patch_embedding', fields.sizeOr('num_channels', 3), hidden, patch),
        embedding('position_embedding', rows, hidden),
      ]),
      group('encoder', [list('layers', nodes)]),
      norm('post_layernorm', hidden, layerNorm),
    ],
  };
}
