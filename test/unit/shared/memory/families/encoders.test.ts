/** Encoders and encoder-decoders of few layers against recorded steps. */
import { describe, expect, it } from 'vitest';
import { playsAsRecorded, recordedSteps } from '../../../../recordedSteps';

const traces = recordedSteps('encoder-traces');
/** Layers of the recorded models, encoder and decoder together; the others have two. */
const layers: Readonly<Partial<Record<string, number>>> = {
  albert: 4,
  bart: 4,
  mbart: 4,
  pegasus: 4,
  marian: 4,
};

describe('encoder families, against measured steps', () => {
  it('has traces of every family', () => {
    expect([...new Set(traces.map(({ model }) => model))].sort()).toEqual([
      'albert',
      'bart',
      'distilbert',
      'electra',
      'marian',
      'mbart',
      'pegasus',
      'roberta',
      'xlm-roberta',
    ]);
    expect(traces).toHaveLength(17);
  });

  playsAsRecorded(traces, (model) => layers[model] ?? 2);
});
