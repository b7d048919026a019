/** DeBERTa and its second version, whose weights the third has, too. */
import type { Family } from '../declaration';
import { readDeberta } from './config';
import { isTrainedEncoder, hasConvolution } from '../common/simulation/supported';
import { simulateDeberta } from './simulation';

export const family: Family = {
  name: 'deberta',
  modelTypes: {
    deberta: { kind: 'model', baseClass: 'DebertaModel', read: readDeberta },
    'deberta-v2': { kind: 'model', baseClass: 'DebertaV2Model', read: readDeberta },
  },
  simulation: {
    simulate: simulateDeberta,
    recorded: ['deberta', 'deberta-v2'],
    supports: isTrainedEncoder,
    unrecorded: ({ modules }) => (hasConvolution(modules) ? 'its convolution' : null),
  },
};
