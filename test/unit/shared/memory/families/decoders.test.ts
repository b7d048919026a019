/** Two-layer models of every decoder family that was measured, against recorded steps. */
import { describe, expect, it } from 'vitest';
import { playsAsRecorded, recordedSteps } from '../../../../recordedSteps';

const traces = recordedSteps('decoder-traces');

describe('decoder families, against measured steps', () => {
  it('has one or two traces of every family', () => {
    expect(traces).toHaveLength(64);
    expect(new Set(traces.map(({ model }) => model)).size).toBe(33);
  });

  playsAsRecorded(traces, () => 2);
});
