import type { Mlp, Norm } from '../../../model/architecture';
import { allBias, attentionNode, llamaAttention, softmaxAttention } from '../../../model/attention';
import { llamaMlp, mlpNode } from '../../../model/feedForward';
import type { ConfigFields } from '../../../model/configFields';
import { buildLayers, preNormLayer } from '../../../model/layers';
import type { ModuleNode } from '../../../model/modules';
import { block, convolution, embedding, group, linear, list, norm, rotary } from '../../../model/nodes';
import { type Tower, patchStack } from './patchTower';

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

export function qwenTower(fields: ConfigFields, style: QwenStyle): Tower {
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

export const sequentialMerger = (before: ModuleNode, merged: number, output: number): ModuleNode =>
  group('merger', [
    before,
    group('mlp', [linear('0', merged, merged, true), linear('2', merged, output, true)]),
  ]);
