import type { Backbone } from '../../model/backbone';
import { expertMixture, mixtralExperts } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { rmsNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { headDim, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** MiniMax M2: norms over all query and all key heads together. */
export function readMinimaxM2(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'minimax_m2',
    mixer: windowed(fields, { queryKeyNorm: { over: 'all', norm: rmsNorm } }, constant(null)),
    feedForward: constant(
      expertMixture(fields, { expertWidth: fields.size('intermediate_size'), routerScore: 'sigmoid' }),
    ),
    experts: { ...mixtralExperts, correction: 'block-buffer' },
    positions: ropePositions(fields, headDim(fields)),
  });
}
