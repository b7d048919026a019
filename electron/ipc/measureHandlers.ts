import { CannotMeasure } from '../measure/cannotMeasure';
import type { Measuring } from '../measure/measuring';
import { CallRefusal, type Handlers } from './answer';

export type MeasureCalls = 'measure.read' | 'measure.choosePython' | 'measure.start' | 'measure.stop';

export interface MeasureServices {
  readonly measuring: Pick<Measuring, 'state' | 'choosePython' | 'start' | 'stop'>;
}

export function measureHandlers({ measuring }: MeasureServices): Pick<Handlers, MeasureCalls> {
  return {
    'measure.read': () => measuring.state(),
    'measure.choosePython': () => measuring.choosePython(),
    'measure.start': async ({ gpuIndices, plan }) => {
      try {
        return await measuring.start(plan, gpuIndices);
      } catch (error) {
        if (error instanceof CannotMeasure) throw new CallRefusal(error.code, error.reason);
        throw error;
      }
    },
    'measure.stop': () => measuring.stop(),
  };
}
