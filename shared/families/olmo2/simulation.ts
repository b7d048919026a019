import { like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateOlmo2: FamilyForward = like({
  decoder: { tables: 'fp32', masks: 'as-used' },
  attention: { views: 'after-projections', rotary: { form: 'wide-tables', parts: 'inside' } },
});
