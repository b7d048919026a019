import { describe, expect, it } from 'vitest';
import { readRecording } from '../../../../../shared/gpu/forecast/recording';

describe('a recorded series', () => {
  it('is read with its capacity', () =>
    expect(
      readRecording({
        capacity_bytes: 8,
        samples: [
          [0, 1],
          [0.5, 2],
        ],
        name: 'x',
      }),
    ).toEqual({
      capacityBytes: 8,
      samples: [
        { t: 0, bytes: 1 },
        { t: 0.5, bytes: 2 },
      ],
    }));

  it.each([
    [null, '{ capacity_bytes, samples }'],
    [{ samples: [] }, 'capacity_bytes'],
    [{ capacity_bytes: 0, samples: [] }, 'capacity_bytes'],
    [{ capacity_bytes: 8 }, 'samples'],
    [{ capacity_bytes: 8, samples: [[0, 1], [1]] }, 'samples[1]'],
    [
      {
        capacity_bytes: 8,
        samples: [
          [1, 1],
          [0, 1],
        ],
      },
      'samples[1]',
    ],
    [{ capacity_bytes: 8, samples: [[0, -1]] }, 'samples[0]'],
  ])('refuses %j by naming what is wrong', (value, wrong) => expect(readRecording(value)).toEqual({ wrong }));
});
