/** MiniMax M3: three dense layers, then experts and an indexer beside the attention; a tower like CLIP's over two frames. */
import type { FeedForward, Mixer } from '../architecture';
import { allBias, attentionNode, llamaAttention, softmaxAttention } from '../attention';
import type { Backbone } from '../backbone';
import { expertMixture, expertsNode, gatedMlp, llamaMlp, mixtralExperts, mlpNode } from '../feedForward';
import type { Fields } from '../fields';
import { buildLayers, preNormLayer } from '../layers';
import type { ModuleNode } from '../modules';
import { block, convolution, group, linear, list, norm, rotary } from '../nodes';
import { gemmaNorm, layerNorm, rmsNorm } from '../norms';
import { ropePositions } from '../positions';
import { sparseLayers } from '../sparseLayers';
import type { Tower } from './clip';
import { headDim } from './llama';
import { llamaBlock } from './llamaBlock';
import { patchStack } from './visionTowers';

export function minimaxM3Text(fields: Fields): Backbone {
  const hidden = fields.size('hidden_size');
  const epsilon = fields.number('norm_eps', 1e-6);
  const kind = fields.flag('use_gemma_norm', true) ? gemmaNorm(epsilon) : rmsNorm(epsilon);
  const attention = softmaxAttention(fields, hidden, { queryKeyNorm: { over: 'head', norm: kind } });
  const sparse = sparseLayers(fields, 3);
  const width = fields.size('intermediate_size');
  const sharedCount = fields.count('n_shared_experts', 1);
  const moe = expertMixture(fields, {
    expertWidth: width,
    routerScore: 'sigmoid',
    shared:
      sharedCount === 0
        ? null
        : {
            mlp: gatedMlp(fields, {
              width: sharedCount * fields.sizeOr('shared_intermediate_size', width),
              fused: true,
            }),
            gate: false,
          },
  });
  const dense = gatedMlp(fields, { width: fields.sizeOr('dense_intermediate_size', width), fused: true });
  const indexing = fields.part('sparse_attention_config');
  const frequency = indexing?.wholes('sparse_attention_freq') ?? null;
  const isIndexed = (index: number): boolean => (frequency === null ? sparse(index) : frequency[index] === 1);
  const indexHeads = indexing?.sizeOr('sparse_num_index_heads', 4) ?? 4;
  const indexDim = indexing?.sizeOr('sparse_index_dim', 128) ?? 128;
  const indexer = group('indexer', [
    linear('q_proj', hidden, indexHeads * indexDim),
    linear('k_proj', hidden, indexDim),
    norm('q_norm', indexDim, kind),
    norm('k_norm', indexDim, kind),
  ]);
  const plain = attentionNode(attention, hidden);
  return llamaBlock(fields, {
    family: 'minimax_m3',
    norm: kind,
    mixer: (index): Mixer => (isIndexed(index) ? { kind: 'other', name: 'indexed-attention' } : attention),
    feedForward: (index): FeedForward => (sparse(index) ? moe : dense),
    positions: ropePositions(fields, headDim(fields), { share: 0.5 }),
    ownNode: (part, size) => {
      if (part.kind === 'other') return { ...plain, children: [...plain.children, indexer] };
      return part.kind === 'experts'
        ? expertsNode(part, size, { ...mixtralExperts, correction: 'buffer' })
        : null;
    },
  });
}

export function minimaxM3Vision(fields: Fields): Tower {
  const hidden = fields.size('hidden_size');
  const kind = layerNorm(fields.number('norm_eps', 1e-5));
  const attention = softmaxAttention(fields, hidden, { causal: false, bias: allBias });
  const mlp = gatedMlp(fields, { gated: false, bias: true, activation: fields.text('hidden_act', 'gelu') });
  const facts = preNormLayer(attention, mlp, kind);
  const names = { ...llamaAttention, output: 'out_proj' };
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => facts,
    (): ModuleNode =>
      block([
        attentionNode(attention, hidden, { ...names, order: ['key', 'value', 'query', 'output'] }),
        norm('layer_norm1', hidden, kind),
        mlpNode(mlp, hidden, { ...llamaMlp, up: 'fc1', down: 'fc2' }),
        norm('layer_norm2', hidden, kind),
      ]),
  );
  const patch = fields.pair('patch_size') ?? [14, 14];
  const kernel = [fields.sizeOr('temporal_patch_size', 2), ...patch];
  return {
    stack: patchStack(fields, {
      hidden,
      norm: kind,
      positions: ropePositions(fields, attention.headDim),
      extraTokens: 0,
      patchBias: false,
      inputNorm: kind,
      layers,
      path: '',
      finalNorm: null,
    }),
    children: [
      group('embeddings', [convolution('proj', fields.sizeOr('num_channels', 3), hidden, kernel, false)]),
      norm('pre_layrnorm', hidden, kind),
      list('layers', nodes),
      rotary('rotary_emb', attention.headDim),
    ],
  };
}
