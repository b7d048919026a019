/** Qwen2-VL, Qwen2.5-VL, Qwen3-VL and Qwen3.5 with their towers: patches of two frames, merged two by two. */
import type { Mlp, Norm } from '../architecture';
import { allBias, attentionNode, llamaAttention, softmaxAttention } from '../attention';
import { gatedMlp, llamaMlp, mlpNode } from '../feedForward';
import type { Fields } from '../fields';
import { buildLayers, preNormLayer } from '../layers';
import type { ModuleNode } from '../modules';
import { block, convolution, embedding, group, linear, list, norm, renamed, rotary } from '../nodes';
import { layerNorm, rmsNorm } from '../norms';
import { patchStack, towerFields, type Tower } from './tower';
import { language, towerPart, visionLanguageReader, type VisionLanguageStyle } from './visionLanguage';

interface QwenStyle {
  readonly hidden: number;
  readonly norm: Norm;
  readonly mlp: Mlp;
  readonly mlpNames: { readonly up: string; readonly down: string };
  readonly patchBias: boolean;
  readonly merger: (merged: number) => ModuleNode;
  /** Mergers for layers in between, whose output joins the language model's first layers (Qwen3-VL). */
  readonly deepstack: (merged: number) => readonly ModuleNode[];
  readonly positionRows: number | null;
}

function qwenTower(fields: Fields, style: QwenStyle): Tower {
  const { hidden, norm: normFacts, mlp } = style;
  const heads = fields.sizeOr('num_heads', 16);
  const attention = softmaxAttention(fields, hidden, {
    heads,
    keyValueHeads: heads,
    headDim: Math.max(1, Math.floor(hidden / heads)),
    valueHeadDim: Math.max(1, Math.floor(hidden / heads)),
    causal: false,
    bias: allBias,
    projection: 'fused',
  });
  const facts = preNormLayer(attention, mlp, normFacts);
  const { layers, nodes } = buildLayers(
    fields.layers('depth'),
    () => facts,
    () =>
      block([
        norm('norm1', hidden, normFacts),
        norm('norm2', hidden, normFacts),
        attentionNode(attention, hidden, { ...llamaAttention, module: 'attn', fused: 'qkv', output: 'proj' }),
        mlpNode(mlp, hidden, { ...llamaMlp, ...style.mlpNames }),
      ]),
  );
  const patch = fields.sides('patch_size');
  const merge = fields.sizeOr('spatial_merge_size', 2);
  const merged = merge * merge * hidden;
  const channels = fields.sizeOr('in_channels', fields.sizeOr('in_chans', 3));
  const kernel = [fields.sizeOr('temporal_patch_size', 2), ...patch];
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
      path: '',
      finalNorm: normFacts,
    }),
    children: [
      group('patch_embed', [convolution('proj', channels, hidden, kernel, style.patchBias)]),
      ...(style.positionRows === null ? [] : [embedding('pos_embed', style.positionRows, hidden)]),
      rotary('rotary_pos_emb', Math.floor(attention.headDim / 2)),
      list('blocks', nodes),
      style.merger(merged),
      ...style.deepstack(merged),
    ],
    connector: { path: 'merger' },
  };
}

const sequentialMerger = (before: ModuleNode, merged: number, output: number): ModuleNode =>
  group('merger', [
    before,
    group('mlp', [linear('0', merged, merged, true), linear('2', merged, output, true)]),
  ]);

/** Here `embed_dim` is the tower's width and `hidden_size` the language model's, which elsewhere are names of one field. */
function qwen2Vision(fields: Fields): Tower {
  const hidden = fields.size('embed_dim');
  const output = fields.values['hidden_size'] === undefined ? 3584 : fields.size('hidden_size');
  const width = Math.floor(hidden * fields.number('mlp_ratio', 4));
  return qwenTower(fields, {
    hidden,
    norm: layerNorm,
    mlp: gatedMlp(fields, {
      gated: false,
      bias: true,
      width,
      activation: fields.text('hidden_act', 'quick_gelu'),
    }),
    mlpNames: { up: 'fc1', down: 'fc2' },
    patchBias: false,
    merger: (merged) => sequentialMerger(norm('ln_q', hidden, layerNorm), merged, output),
    deepstack: () => [],
    positionRows: null,
  });
}

function qwen25Vision(fields: Fields): Tower {
  const hidden = fields.size('hidden_size');
  const output = fields.sizeOr('out_hidden_size', 3584);
  return qwenTower(fields, {
    hidden,
    norm: rmsNorm,
    mlp: gatedMlp(fields, { bias: true }),
    mlpNames: { up: 'up_proj', down: 'down_proj' },
    patchBias: false,
    merger: (merged) => sequentialMerger(norm('ln_q', hidden, rmsNorm), merged, output),
    deepstack: () => [],
    positionRows: null,
  });
}

/** Qwen3-VL's tower, and Qwen3.5's, which has no mergers in between. */
function qwen3Vision(fields: Fields): Tower {
  const hidden = fields.size('hidden_size');
  const output = fields.sizeOr('out_hidden_size', 3584);
  const between = fields.wholes('deepstack_visual_indexes') ?? [];
  const merger = (name: string, merged: number, normed: number): ModuleNode =>
    group(name, [
      norm('norm', normed, layerNorm),
      linear('linear_fc1', merged, merged, true),
      linear('linear_fc2', merged, output, true),
    ]);
  return qwenTower(fields, {
    hidden,
    norm: layerNorm,
    mlp: gatedMlp(fields, {
      gated: false,
      bias: true,
      activation: fields.text('hidden_act', 'gelu_pytorch_tanh'),
    }),
    mlpNames: { up: 'linear_fc1', down: 'linear_fc2' },
    patchBias: true,
    merger: (merged) => merger('merger', merged, hidden),
    deepstack: (merged) =>
      between.length === 0
        ? []
        : [
            list(
              'deepstack_merger_list',
              between.map(() => renamed(merger('', merged, merged), '')),
            ),
          ],
    positionRows: fields.sizeOr('num_position_embeddings', 2304),
  });
}

type QwenModel = Pick<VisionLanguageStyle, 'family' | 'textType' | 'tie' | 'hasClassifiers'>;

const qwenReader = (
  model: QwenModel,
  towerType: string,
  tower: (fields: Fields) => Tower,
): ReturnType<typeof visionLanguageReader> =>
  visionLanguageReader({
    ...model,
    parts: (fields) => [
      towerPart('visual', tower(towerFields(fields, 'vision_config', towerType))),
      language,
    ],
  });

/** Qwen2-VL. */
export const qwen2Vl = qwenReader(
  { family: 'qwen2_vl', textType: 'qwen2_vl_text', tie: { by: 'either' } },
  'qwen2_vl_vision',
  qwen2Vision,
);
/** Qwen2.5-VL. */
export const qwen25Vl = qwenReader(
  { family: 'qwen2_5_vl', textType: 'qwen2_5_vl_text', tie: { by: 'either' } },
  'qwen2_5_vl_vision',
  qwen25Vision,
);

const untiedUnlessSaid = { by: 'whole', fallback: false } as const;

/** Qwen3-VL, dense. */
export const qwen3Vl = qwenReader(
  { family: 'qwen3_vl', textType: 'qwen3_vl_text', tie: untiedUnlessSaid },
  'qwen3_vl_vision',
  qwen3Vision,
);
/** Qwen3-VL with experts. */
export const qwen3VlMoe = qwenReader(
  { family: 'qwen3_vl', textType: 'qwen3_vl_moe_text', tie: untiedUnlessSaid },
  'qwen3_vl_moe_vision',
  qwen3Vision,
);
/** Qwen3.5, dense. */
export const qwen35 = qwenReader(
  { family: 'qwen3_5', textType: 'qwen3_5_text', tie: untiedUnlessSaid, hasClassifiers: true },
  'qwen3_5_vision',
  qwen3Vision,
);
/** Qwen3.5 with experts. */
export const qwen35Moe = qwenReader(
  { family: 'qwen3_5', textType: 'qwen3_5_moe_text', tie: untiedUnlessSaid },
  'qwen3_5_moe_vision',
  qwen3Vision,
);
