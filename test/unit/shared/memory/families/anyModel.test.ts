/** Families and heads without code of their own are played by their facts and shapes, and never throw. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TrainingSettings } from '../../../../../shared/memory/configuration';
import { H200 } from '../../../../../shared/gpu/models';
import { forwardFor } from '../../../../../shared/memory/chooseForward';
import { simulate, summarise } from '../../../../../shared/memory/simulation';
import type { Architecture } from '../../../../../shared/model/architecture';
import { parameterCount } from '../../../../../shared/model/inventory';
import { readModel } from '../../../../../shared/families/readModel';

const folder = path.resolve(import.meta.dirname, '../../../../fixtures/configs');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.json'),
);

const settings: TrainingSettings = {
  method: { kind: 'full' },
  precision: 'fp32',
  optimizer: 'adamw',
  microBatch: 1,
  sequence: 64,
  accumulation: 1,
  checkpointing: { kind: 'none' },
  attention: 'sdpa',
  clipGradients: false,
  gradientSync: null,
  reduceType: 'fp32',
  pixels: 'fp32',
};

function peakBytes(architecture: Architecture, changes: Partial<TrainingSettings> = {}): number {
  const { forward } = forwardFor(architecture);
  const simulation = simulate(architecture, forward, { ...settings, ...changes }, H200);
  const plain = { expandableSegments: false, addressOrder: 'falling', limitBytes: null } as const;
  return summarise(simulation, plain, 0)?.allocatedPeakBytes ?? Number.NaN;
}

const readable = files.flatMap((file) => {
  const text = readFileSync(path.join(folder, file), 'utf8');
  const reading = readModel(text);
  return reading.kind === 'refused' ? [] : [{ file, text, architecture: reading.architecture }];
});

describe('a model of any family', () => {
  it.each(readable)('$file holds weights, gradients and optimizer state', ({ architecture }) => {
    // Weight, gradient and two averages in fp32; foreach AdamW makes one more copy at its peak.
    const bytes = 16 * parameterCount(architecture);
    const peak = peakBytes(architecture);
    expect(peak).toBeGreaterThan(0.85 * bytes);
    expect(peak).toBeLessThan(1.3 * bytes + 8 * 2 ** 30);
  });

  it.each(['SomeModel', 'SomeForSequenceClassification', 'SomeForTokenClassification'])(
    'plays every config as %s',
    (className) => {
      for (const { text } of readable) {
        let config: object;
        try {
          config = JSON.parse(text) as object;
        } catch {
          continue;
        }
        const reading = readModel(JSON.stringify({ ...config, architectures: [className] }));
        if (reading.kind === 'refused') continue;
        expect(peakBytes(reading.architecture, { checkpointing: { kind: 'full' } })).toBeGreaterThan(0);
      }
    },
  );

  it('plays layers that share their weights as often as there are layers', () => {
    const albert = JSON.parse(
      readFileSync(path.join(folder, 'published/albert-base-v1.json'), 'utf8'),
    ) as object;
    const ofLayers = (count: number): number => {
      const config = { ...albert, architectures: ['AlbertModel'], num_hidden_layers: count };
      const reading = readModel(JSON.stringify(config));
      if (reading.kind === 'refused') throw new Error('it is refused');
      return peakBytes(reading.architecture, { microBatch: 8, sequence: 512 });
    };
    // What a layer keeps for backward grows with their number, though no weight does.
    expect(ofLayers(12) - ofLayers(6)).toBeCloseTo(2 * (ofLayers(6) - ofLayers(3)), -7);
    expect(ofLayers(12)).toBeGreaterThan(2 * ofLayers(3));
  });
});
