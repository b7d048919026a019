/** Models of images and speech, and encoders with attention of their own, against recorded steps. */
import { describe, expect, it } from 'vitest';
import { playsAsRecorded, recordedSteps } from '../../../../recordedSteps';

const traces = recordedSteps('vision-traces');
/** Layers of the recorded models, both towers or stacks together; the others have two. */
const layers: Readonly<Partial<Record<string, number>>> = { clip: 4, siglip: 4, whisper: 4, swin: 12 };

describe('images, speech and later encoders, against measured steps', () => {
  it('has traces of every family', () => {
    expect([...new Set(traces.map(({ model }) => model))].sort()).toEqual([
      'beit',
      'clip',
      'deberta',
      'deberta-v2',
      'dinov2',
      'modernbert',
      'siglip',
      'swin',
      'whisper',
    ]);
    expect(traces).toHaveLength(22);
  });

  // Which of two equal gaps a block takes follows from addresses that traces do not have: one gap more or less in the peak.
  playsAsRecorded(traces, (model) => layers[model] ?? 2, 0.007);
});
