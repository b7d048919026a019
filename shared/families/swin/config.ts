/** Swin: attention within windows, four stages of which each halves the sides and doubles the width. */
import type { Layer } from '../../model/architecture';
import { allBias, attentionNode, llamaAttention, noBias, softmaxAttention } from '../../model/attention';
import { type ReadArchitecture, placed } from '../../model/decoderClasses';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { preNormLayer } from '../../model/layers';
import type { ModelClass } from '../../model/modelClass';
import type { ModuleNode } from '../../model/modules';
import {
  block,
  convolution,
  group,
  indexBuffer,
  leaf,
  linear,
  list,
  norm,
  tensor,
  withBuffers,
} from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { patchCount, patchStack } from '../common/config/patchTower';

interface Stage {
  readonly layers: readonly Layer[];
  readonly node: ModuleNode;
}

function stage(fields: ConfigFields, index: number, depth: number, heads: number, isLast: boolean): Stage {
  const width = fields.size('embed_dim') * 2 ** index;
  const headDim = Math.max(1, Math.floor(width / heads));
  const attention = softmaxAttention(fields, width, {
    heads,
    keyValueHeads: heads,
    headDim,
    valueHeadDim: headDim,
    causal: false,
    bias: fields.flag('qkv_bias', true) ? allBias : { ...noBias, output: true },
  });
  const mlp = gatedMlp(fields, {
    gated: false,
    bias: true,
    width: Math.floor(width * fields.number('mlp_ratio', 4)),
    activation: fields.text('hidden_act', 'gelu'),
  });
  const facts = preNormLayer(attention, mlp, layerNorm);
  const window = fields.sizeOr('window_size', 7);
  const positions = withBuffers(
    leaf('relative_position_bias', 'other', [
      tensor('relative_position_bias_table', (2 * window - 1) ** 2, heads),
    ]),
    [indexBuffer('relative_position_index', window ** 4)],
  );
  const self = attentionNode(attention, width, { ...llamaAttention, module: 'attention' });
  const node = block([
    { ...self, children: [...self.children, positions] },
    norm('layernorm_before', width, layerNorm),
    norm('layernorm_after', width, layerNorm),
    mlpNode(mlp, width, { ...llamaMlp, up: 'fc1', down: 'fc2' }),
  ]);
  const downsample = group('downsample', [
    linear('reduction', 4 * width, 2 * width),
    norm('norm', 4 * width, layerNorm),
  ]);
  return {
    layers: Array.from({ length: depth }, () => facts),
    node: group('', [list('blocks', Array<ModuleNode>(depth).fill(node)), isLast ? null : downsample]),
  };
}

/** Swin; refused where `depths` or a stage's heads are missing. */
export function readSwin(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  const depths = fields.wholes('depths') ?? [];
  const heads = fields.wholes('num_heads') ?? [];
  if (depths.length === 0) throw fields.missing('depths');
  const width = fields.size('embed_dim');
  const stages = depths.map((depth, index) => {
    const count = heads[index];
    if (count === undefined) throw fields.missing(`num_heads[${String(index)}]`);
    return stage(fields, index, Math.min(depth, 1000), count, index === depths.length - 1);
  });
  const last = width * 2 ** Math.max(0, depths.length - 1);
  const patches = patchCount(fields);
  const patch = fields.sides('patch_size');
  const stack = patchStack(fields, {
    hiddenSize: last,
    positions: { kind: 'none' },
    extraTokens: 0,
    layers: stages.flatMap(({ layers }) => layers),
    path: 'encoder',
    finalNorm: layerNorm,
    dropPath: 0.1,
  });
  const children = [
    group(
      'embeddings',
      [
        group('patch_embeddings', [
          convolution('projection', fields.sizeOr('num_channels', 3), width, patch),
        ]),
        norm('norm', width, layerNorm),
      ],
      fields.flag('use_absolute_embeddings', false) ? [tensor('position_embeddings', 1, patches, width)] : [],
    ),
    group('encoder', [
      list(
        'layers',
        stages.map(({ node }) => node),
      ),
    ]),
    norm('layernorm', last, layerNorm),
  ];
  const hasHead = modelClass.kind === 'image-classification';
  return {
    family: 'swin',
    className: modelClass.name,
    stacks: [placed(stack, hasHead ? 'swin' : '')],
    connectors: [],
    head: hasHead
      ? { kind: 'classifier', labels: modelClass.labels, over: 'input', transform: null, dropout: 0 }
      : { kind: 'none' },
    modules: group(
      '',
      hasHead ? [group('swin', children), linear('classifier', last, modelClass.labels, true)] : children,
    ),
    warnings: [],
  };
}
