import { deepseekExpertsCode } from '../common/simulation/experts';
import { like } from '../common/simulation/llamaLike';
import { cohereRouter } from '../common/simulation/routers';
import type { FamilyForward } from '../forward';

export const simulateCohere: FamilyForward = like({
  block: { experts: { ...deepseekExpertsCode, route: cohereRouter, rows: 'before-router' } },
  attention: { norms: 'positions-first', rotary: { form: 'wide-neighbours', parts: 'inside' } },
});
