/** Gemma 4 with its vision tower; an audio tower is not read. */
import type { Layer } from '../../model/architecture';
import { attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers } from '../../model/layers';
import type { ModuleNode } from '../../model/modules';
import { block, fp32Buffer, group, linear, list, norm, rotary, tensor } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { biasFlag } from '../common/config/llamaAttention';
import { type Tower, patchStack, towerFields } from '../common/config/patchTower';
import {
  type Part,
  connectorPart,
  language,
  towerPart,
  visionLanguageReader,
} from '../common/config/visionLanguage';
import { defaults } from './defaults';

/** The vision tower: Gemma's block without causality, over patches whose positions are looked up by row and column. */
function gemma4Vision(fields: ConfigFields): Tower {
  const hidden = fields.size('hidden_size');
  const attention = softmaxAttention(fields, hidden, {
    headDim: fields.sizeOr('head_dim', 64),
    causal: false,
    bias: biasFlag(fields, 'attention_bias'),
    queryKeyNorm: { over: 'head', norm: rmsNorm },
  });
  const mlp = gatedMlp(fields, { activation: fields.text('hidden_act', 'gelu_pytorch_tanh') });
  const facts: Layer = {
    mixer: attention,
    cross: null,
    feedForward: mlp,
    norm: rmsNorm,
    placement: 'sandwich',
    norms: 4,
  };
  const named = (name: string): ModuleNode => norm(name, hidden, rmsNorm);
  const wrapped = (node: ModuleNode): ModuleNode => ({
    ...node,
    children: node.children.map((child) =>
      child.kind === 'linear' ? group(child.name, [{ ...child, name: 'linear' }]) : child,
    ),
  });
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => facts,
    () =>
      block([
        wrapped(attentionNode(attention, hidden, llamaAttention)),
        wrapped(mlpNode(mlp, hidden, llamaMlp)),
        named('input_layernorm'),
        named('post_attention_layernorm'),
        named('pre_feedforward_layernorm'),
        named('post_feedforward_layernorm'),
      ]),
  );
  const patch = fields.sizeOr('patch_size', 16);
  const rows = fields.sizeOr('position_embedding_size', 10_240);
  return {
    stack: patchStack(fields, {
      hiddenSize: hidden,
      positions: { kind: 'learned' },
      extraTokens: 0,
      layers,
      path: 'encoder',
      finalNorm: null,
    }),
    children: [
      group(
        'patch_embedder',
        [linear('input_proj', 3 * patch * patch, hidden)],
        [tensor('position_embedding_table', 2, rows, hidden)],
      ),
      group('encoder', [rotary('rotary_emb', Math.floor(attention.headDim / 2)), list('layers', nodes)]),
    ],
    ...(fields.flag('standardize', false)
      ? { ownBuffers: [fp32Buffer('std_bias', hidden), fp32Buffer('std_scale', hidden)] }
      : {}),
  };
}

/** The tower's patches are normed without a weight and multiplied by one matrix. */
export const readGemma4 = visionLanguageReader({
  family: 'gemma4',
  textType: 'gemma4_text',
  tie: { by: 'whole', fallback: true },
  parts: (fields, { stack }) => {
    const audio = fields.part('audio_config');
    const unread: readonly Part[] =
      audio === null
        ? []
        : [{ kind: 'unknown', name: 'audio_config', modelType: audio.text('model_type', 'gemma4_audio') }];
    if (!fields.has('vision_config')) return [language, ...unread];
    const tower = gemma4Vision(towerFields(fields, 'vision_config', defaults.gemma4_vision.part));
    const connector = group('embed_vision', [
      linear('embedding_projection', tower.stack.hiddenSize, stack.hiddenSize),
    ]);
    return [towerPart('vision_tower', tower), language, connectorPart(connector), ...unread];
  },
});
