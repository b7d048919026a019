/** Two-layer models of the families with mixtures of experts, against recorded steps. */
import { describe, expect, it } from 'vitest';
import { playsAsRecorded, recordedSteps } from '../../../../recordedSteps';

const traces = recordedSteps('expert-traces');

describe('families with experts, against measured steps', () => {
  it('has traces of every family', () => {
    expect([...new Set(traces.map(({ model }) => model))].sort()).toEqual([
      'deepseek_v2',
      'deepseek_v3',
      'glm4_moe',
      'gpt_oss',
      'granitemoe',
      'phimoe',
      'qwen2_moe',
      'qwen3_moe',
    ]);
    expect(traces).toHaveLength(17);
  });

  playsAsRecorded(traces, () => 2);
});
