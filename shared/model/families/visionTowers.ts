/** Vision towers that language models take in: CLIP's and SigLIP's, Pixtral's, InternVL's, Idefics3's. */
import type { Layer, Norm, Positions, Stack } from '../architecture';
import { allBias, attentionNode, llamaAttention, noBias, softmaxAttention } from '../attention';
import { gatedMlp, llamaMlp, mlpNode } from '../feedForward';
import type { Fields } from '../fields';
import { buildLayers, preNormLayer } from '../layers';
import type { OwnTensor } from '../modules';
import { block, convolution, embedding, group, list, norm, rotary, tensor } from '../nodes';
import { layerNorm, rmsNorm } from '../norms';
import { towerDefaults } from '../towerDefaults';
import { clipVision, type Tower } from './clip';
import { fixedPatchCount, patchCount } from './vit';

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

interface Plain {
  readonly hidden: number;
  readonly norm: Norm;
  readonly positions: Positions;
  readonly extraTokens: number;
  readonly patchBias: boolean;
  readonly inputNorm: Norm | null;
  readonly layers: readonly Layer[];
  readonly path: string;
  readonly finalNorm: Norm | null;
  /** Stochastic depth where the file names none; 0 where it is not given. */
  readonly dropPath?: number;
}

/** Facts of a tower of patches. */
export function patchStack(fields: Fields, plain: Plain): Stack {
  return {
    role: 'vision',
    path: plain.path,
    hiddenSize: plain.hidden,
    inputs: {
      kind: 'patches',
      imageSize: fields.pair('image_size')?.[0] ?? null,
      patchSize: fields.pair('patch_size')?.[0] ?? 14,
      channels: fields.sizeOr('num_channels', 3),
      patches: patchCount(fields),
      extraTokens: plain.extraTokens,
      bias: plain.patchBias,
      norm: plain.inputNorm,
    },
    positions: plain.positions,
    layers: plain.layers,
    finalNorm: plain.finalNorm,
    maxPositions: null,
    dropout: {
      embedding: fields.number('hidden_dropout_prob', 0),
      residual: fields.number('hidden_dropout_prob', 0),
      activation: 0,
      layer: fields.number('drop_path_rate', plain.dropPath ?? 0),
    },
  };
}

/** Pixtral: rope over rows and columns, gated MLPs, RMS norms, no biases. */
function pixtral(fields: Fields): Tower {
  const hidden = fields.size('hidden_size');
  const kind = rmsNorm(1e-5);
  const attention = softmaxAttention(fields, hidden, {
    causal: false,
    keyValueHeads: fields.size('num_attention_heads'),
    headDim: Math.max(1, Math.floor(hidden / fields.size('num_attention_heads'))),
  });
  const mlp = gatedMlp(fields, { activation: fields.text('hidden_act', 'gelu') });
  const facts = preNormLayer(attention, mlp, kind);
  const names = { ...llamaAttention, module: 'attention' };
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => facts,
    () =>
      block([
        norm('attention_norm', hidden, kind),
        mlpNode(mlp, hidden, { ...llamaMlp, module: 'feed_forward' }),
        attentionNode(attention, hidden, { ...names, order: ['key', 'value', 'query', 'output'] }),
        norm('ffn_norm', hidden, kind),
      ]),
  );
  const patch = fields.pair('patch_size') ?? [16, 16];
  return {
    stack: patchStack(fields, {
      hidden,
      norm: kind,
      positions: {
        kind: 'rope',
        rotaryDim: attention.headDim,
        base: null,
        scaling: null,
        interleaved: false,
      },
      extraTokens: 0,
      patchBias: false,
      inputNorm: kind,
      layers,
      path: 'transformer',
      finalNorm: null,
    }),
    children: [
      convolution('patch_conv', fields.sizeOr('num_channels', 3), hidden, patch, false),
      norm('ln_pre', hidden, kind),
      group('transformer', [list('layers', nodes)]),
      rotary('patch_positional_embedding', attention.headDim),
    ],
  };
}

/** InternVL's: ViT with a scale learned for each branch. */
function internVl(fields: Fields): Tower {
  const hidden = fields.size('hidden_size');
  const isRms = fields.text('norm_type', 'layer_norm') === 'rms_norm';
  const epsilon = fields.number('norm_eps', 1e-6);
  const kind = isRms ? rmsNorm(epsilon) : layerNorm(epsilon);
  const attention = softmaxAttention(fields, hidden, {
    causal: false,
    bias: fields.flag('attention_bias', false) ? allBias : { ...noBias, output: true },
    queryKeyNorm: fields.flag('use_qk_norm', false) ? { over: 'all', norm: rmsNorm(epsilon) } : null,
  });
  const mlp = gatedMlp(fields, { gated: false, bias: true, activation: fields.text('hidden_act', 'gelu') });
  const facts = preNormLayer(attention, mlp, kind);
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
          norm('layernorm_before', hidden, kind),
          norm('layernorm_after', hidden, kind),
        ],
        [tensor('lambda_1', hidden), tensor('lambda_2', hidden)],
      ),
  );
  const patches = fixedPatchCount(fields);
  const patch = fields.pair('patch_size') ?? [14, 14];
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
      hidden,
      norm: kind,
      positions: { kind: 'learned', rows: patches + 1 },
      extraTokens: 1,
      patchBias: true,
      inputNorm: null,
      layers,
      path: 'encoder',
      finalNorm: pooled ? null : kind,
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
      ...(pooled ? [] : [norm('layernorm', hidden, kind)]),
    ],
  };
}

/** Idefics3's and SmolVLM's: SigLIP without pooling, with CLIP's order of modules. */
function idefics3(fields: Fields): Tower {
  const hidden = fields.size('hidden_size');
  const kind = layerNorm(fields.number('norm_eps', 1e-6));
  const attention = softmaxAttention(fields, hidden, { causal: false, bias: allBias });
  const mlp = gatedMlp(fields, {
    gated: false,
    bias: true,
    activation: fields.text('hidden_act', 'gelu_pytorch_tanh'),
  });
  const facts = preNormLayer(attention, mlp, kind);
  const names = { ...llamaAttention, output: 'out_proj' };
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => facts,
    () =>
      block([
        attentionNode(attention, hidden, { ...names, order: ['key', 'value', 'query', 'output'] }),
        norm('layer_norm1', hidden, kind),
        mlpNode(mlp, hidden, { ...llamaMlp, up: 'fc1', down: 'fc2' }),
        norm('layer_norm2', hidden, kind),
      ]),
  );
  const rows = fixedPatchCount(fields);
  const patch = fields.pair('patch_size') ?? [14, 14];
  return {
    stack: patchStack(fields, {
      hidden,
      norm: kind,
      positions: { kind: 'learned', rows },
      extraTokens: 0,
      patchBias: true,
      inputNorm: null,
      layers,
      path: 'encoder',
      finalNorm: kind,
    }),
    children: [
      group('embeddings', [
        convolution('patch_embedding', fields.sizeOr('num_channels', 3), hidden, patch),
        embedding('position_embedding', rows, hidden),
      ]),
      group('encoder', [list('layers', nodes)]),
      norm('post_layernorm', hidden, kind),
    ],
  };
}
