import { llamaAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { slidingWindows } from '../../model/windows';
import { windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** Phi-3 and Phi-4: query, key and value from one product, gate and up from another. */
export function readPhi3(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'phi3',
    mixer: windowed(fields, { projection: 'fused' }, slidingWindows(fields, 1)),
    feedForward: constant(gatedMlp(fields, { fused: true })),
    attention: { ...llamaAttention, order: ['output', 'fused'] },
    dropout: {
      embedding: fields.number('embd_pdrop', 0),
      residual: fields.number('resid_pdrop', 0),
    },
  });
}
