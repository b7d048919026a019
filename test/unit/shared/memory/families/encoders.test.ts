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
      'dinov2',
      'distilbert',
      'electra',
      'marian',
      'mbart',
      'mpnet',
      'pegasus',
      'roberta',
      'xlm-roberta',
    ]);
    expect(traces).toHaveLength(20);
  });

  playsAsRecorded(
    traces.filter(({ model }) => model !== 'dinov2'),
    (model) => layers[model] ?? 2,
  );
  // DINOv2 makes the class token before, the positions after the patches' weights; its build is played in the order of parameters.
  playsAsRecorded(
    traces.filter(({ model }) => model === 'dinov2'),
    () => 2,
    0.0025,
  );
});
