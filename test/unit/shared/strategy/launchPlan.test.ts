import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Architecture } from '../../../../shared/model/architecture';
import { catalogueEntry } from '../../../../shared/model/catalogue/catalogue';
import { configText } from '../../../../shared/model/catalogue/configText';
import { readConfig, readModel } from '../../../../shared/families/readModel';
import { launchPlanOf } from '../../../../shared/strategy/launchPlan';
import type { Plan } from '../../../../shared/strategy/types';

const configs = path.resolve(import.meta.dirname, '../../../fixtures/accuracy/configs');

function modelOf(name: string) {
  const configJson = readFileSync(path.join(configs, `${name}.json`), 'utf8');
  const reading = readModel(configJson);
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  return { architecture: reading.architecture, name, configJson };
}

function entryOf(id: string) {
  const entry = catalogueEntry(id);
  const reading = readConfig(entry?.config ?? {});
  if (entry === null || reading.kind === 'refused') throw new Error(id);
  return { architecture: reading.architecture, name: id, configJson: configText(entry) };
}

const full = { kind: 'full' } as const;
const lora = {
  kind: 'lora',
  adapters: { rank: 8, alpha: 16, targets: 'all-linear', dropout: 0, adapterType: 'fp32' },
} as const;

/** Of a plan only what the files are written from. */
function planWith(changes: object, training: object = {}): Plan {
  return {
    strategy: 'single',
    world: 2,
    precision: 'amp-bf16',
    optimizer: 'adamw-fused',
    checkpointing: { kind: 'none' },
    attention: 'sdpa',
    offload: 'none',
    schedule: null,
    stageLayers: null,
    expandableSegments: false,
    microBatch: 1,
    accumulationSteps: 2,
    cards: [],
    request: {
      training: {
        method: full,
        sequence: 512,
        clipGradients: false,
        gradientSync: null,
        reduceType: 'fp32',
        ...training,
      },
    },
    ...changes,
  } as unknown as Plan;
}

const answer = (plan: Plan, model = 'tinyllama-1.1b') => {
  const given = launchPlanOf(plan, modelOf(model));
  return given.kind === 'plan' ? given.plan.strategy : [given.why.key, given.why.values];
};

const pipeline = { strategy: 'pipeline', schedule: '1f1b', stageLayers: [11, 11] };
const placed = { strategy: 'pipeline', schedule: 'sequential', stageLayers: [11, 11] };

describe('files of strategies with several cards', () => {
  it('are written for DataParallel, pipelines, placed layers and divided tensors', () => {
    for (const changes of [{ strategy: 'dp' }, pipeline, placed, { strategy: 'tensor' }])
      expect(answer(planWith(changes))).toBe(changes.strategy);
  });

  it('keep the layers of each stage and how they take turns', () => {
    const given = launchPlanOf(planWith(pipeline), modelOf('tinyllama-1.1b'));
    expect(given).toMatchObject({ kind: 'plan', plan: { schedule: '1f1b', stageLayers: [11, 11] } });
  });

  it('are refused for a pipeline of a model whose later stages would add positions again, not for its placed layers', () => {
    const stages = { stageLayers: [6, 6] };
    expect(answer(planWith({ ...pipeline, ...stages }), 'gpt2')).toEqual([
      'strategy.launchPipelineModel',
      { className: 'GPT2LMHeadModel' },
    ]);
    expect(answer(planWith({ ...placed, ...stages }), 'gpt2')).toBe('pipeline');
  });

  it.each([
    ['pipeline', pipeline, { method: lora }, 'lora'],
    ['pipeline', { ...pipeline, precision: 'amp-fp16' }, {}, 'amp-fp16'],
    ['tensor', { strategy: 'tensor' }, { clipGradients: true }, 'grad-clip'],
    ['dp', { strategy: 'dp', checkpointing: { kind: 'full' } }, {}, 'checkpointing'],
  ])(
    'are refused for %s with what its ranks cannot do together: %j %j',
    (strategy, changes, training, setting) => {
      expect(answer(planWith(changes, training))).toEqual(['strategy.launchTogether', { strategy, setting }]);
    },
  );

  it('are written for placed layers with adapters', () => {
    expect(answer(planWith(placed, { method: lora }))).toBe('pipeline');
  });
});

describe('the attention that a script asks for', () => {
  const attentionOf = (model: { architecture: Architecture; name: string; configJson: string }) => {
    const given = launchPlanOf(planWith({ strategy: 'single', world: 1 }), model);
    return given.kind === 'plan' ? given.plan.attention : given.why.key;
  };

  it("is PyTorch's where the class knows it", () => {
    expect(attentionOf(modelOf('tinyllama-1.1b'))).toBe('sdpa');
  });

  it('is eager where transformers refuses to build the class with another', () => {
    for (const id of ['gpt-j-6b', 'gpt-oss-20b', 'mpt-7b']) expect(attentionOf(entryOf(id))).toBe('eager');
  });
});
