import { like } from '../common/simulation/llamaLike';
import type { FamilyForward } from '../forward';

export const simulateOlmo: FamilyForward = like({
  decoder: { tables: 'fp32' },
  attention: { views: 'after-projections', rotary: { form: 'wide-tables', parts: 'inside' } },
});
