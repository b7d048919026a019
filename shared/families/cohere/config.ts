import type { FeedForward } from '../../model/architecture';
import type { Backbone } from '../../model/backbone';
import { expertMixture, gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { layerNormWithoutBias } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { sparseLayers } from '../../model/sparseLayers';
import { slidingWindows, windowPattern } from '../../model/windows';
import { biasFlag, headDim, windowed } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';

/**
 * Cohere and Cohere 2: one LayerNorm without bias for both branches, which run side by side. In Cohere 2 the full layers have
 * no positions.
 */
export function readCohere(fields: ConfigFields): Backbone {
  const second = fields.text('model_type', '') === 'cohere2';
  const norm = { ...layerNormWithoutBias, fp32: true };
  const windowOf = slidingWindows(fields, windowPattern(fields, 4));
  const mixer = windowed(
    fields,
    {
      bias: biasFlag(fields, 'attention_bias'),
      queryKeyNorm: fields.flag('use_qk_norm', false) ? { over: 'each-head', norm } : null,
    },
    windowOf,
  );
  return llamaBlock(fields, {
    family: second ? 'cohere2' : 'cohere',
    norm,
    placement: 'parallel',
    norms: ['input_layernorm'],
    mixer: (index) => ({ ...mixer(index), positions: !second || windowOf(index) !== null }),
    positions: ropePositions(fields, headDim(fields), { interleaved: true }),
    head: { tied: true, scale: fields.number('logit_scale', 0.0625) },
  });
}

/** Command with experts: Cohere 2's parallel block. */
export function readCohere2Moe(fields: ConfigFields): Backbone {
  const sharedCount = fields.count('num_shared_experts', 0);
  const width = fields.size('intermediate_size');
  const moe = expertMixture(fields, {
    expertWidth: width,
    shared: sharedCount === 0 ? null : { mlp: gatedMlp(fields, { width: sharedCount * width }), gate: false },
  });
  const dense = gatedMlp(fields, { width: fields.sizeOr('prefix_dense_intermediate_size', width) });
  const sparse = sparseLayers(fields);
  return llamaBlock(fields, {
    family: 'cohere',
    norm: layerNormWithoutBias,
    placement: 'parallel',
    norms: ['input_layernorm'],
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, slidingWindows(fields, 4)),
    feedForward: (index): FeedForward => (sparse(index) ? moe : dense),
    positions: ropePositions(fields, headDim(fields), { interleaved: true }),
    head: { tied: true, scale: fields.number('logit_scale', 0.0625) },
  });
}
