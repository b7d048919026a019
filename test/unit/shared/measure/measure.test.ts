import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { launchPlanSchema } from '../../../../shared/contract/launchPlanSchema';
import { translate } from '../../../../shared/i18n/translate';
import { planId } from '../../../../shared/launch/savedPlan';
import {
  commandText,
  measureArguments,
  measureEnvironment,
  neededPackages,
} from '../../../../shared/measure/command';
import { measuredOutcome, preflightOutcome, type ProgramEnd } from '../../../../shared/measure/outcome';
import { readPreflight } from '../../../../shared/measure/preflight';
import { measureRefusal } from '../../../../shared/measure/refusal';
import { GiB, receipt } from '../receipts/builders';
import { basePlan, variants } from '../launch/variants';

const ddp = variants['ddp'] ?? basePlan;
const qlora = variants['qlora'] ?? basePlan;
const words = (texts: readonly Parameters<typeof translate>[1][]) =>
  texts.map((text) => translate('en', text));
const ended = (exitCode: number): ProgramEnd => ({ kind: 'exited', exitCode, signal: null });

describe('what is run', () => {
  it('is the plan’s script for two steps, under this Python’s own torchrun where there are ranks', () => {
    expect(measureArguments(basePlan)).toEqual(['train.py', '--steps', '2', '--report-every', '1']);
    expect(measureArguments(ddp)).toEqual([
      '-m',
      'torch.distributed.run',
      '--standalone',
      '--nproc-per-node=2',
      'train.py',
      '--steps',
      '2',
      '--report-every',
      '1',
    ]);
  });

  it('carries the plan’s mark, downloads nothing, and keeps to the chosen cards', () => {
    expect(measureEnvironment(basePlan, 'm', [2, 3])).toEqual({
      HEADROOM_PLAN: planId(basePlan),
      HEADROOM_MEASURE: 'm',
      HF_HUB_OFFLINE: '1',
      TRANSFORMERS_OFFLINE: '1',
      PYTHONUNBUFFERED: '1',
      PYTHONIOENCODING: 'utf-8',
      CUDA_DEVICE_ORDER: 'PCI_BUS_ID',
      CUDA_VISIBLE_DEVICES: '2,3',
    });
    expect(measureEnvironment(basePlan, 'm', null)).not.toHaveProperty('CUDA_VISIBLE_DEVICES');
  });

  it('needs what the plan’s requirements name', () => {
    expect(neededPackages(basePlan).map(({ name }) => name)).toEqual(['torch', 'transformers']);
    expect(neededPackages(qlora).map(({ name }) => name)).toEqual([
      'torch',
      'transformers',
      'peft',
      'bitsandbytes',
      'accelerate',
    ]);
  });

  it('is shown as it could be typed', () =>
    expect(commandText(['/opt/my python', 'train.py', '--n=2', "it's"])).toBe(
      "'/opt/my python' train.py --n=2 'it'\\''s'",
    ));
});

describe('the look at a Python', () => {
  const answer = (value: unknown) => `warning: x\nheadroom-preflight ${JSON.stringify(value)}\n`;

  it('is found among other lines, and is nothing where it is cut or not meant', () => {
    const value = { missing: ['peft'], torch: '2.11.0+cu130', cards: 2 };
    expect(readPreflight(answer(value))).toEqual(value);
    for (const text of ['', 'headroom-preflight {"missing": [', answer({ missing: 'all' }), 'Python 3.12.1'])
      expect(readPreflight(text)).toBeNull();
    fc.assert(fc.property(fc.string(), (text) => void readPreflight(text)));
  });

  it('lets a plan run that finds all it needs', () =>
    expect(
      preflightOutcome(ended(0), { missing: [], torch: '2.11', cards: 2 }, ddp, 'python', 60),
    ).toBeNull());

  it('says what is missing and how it is installed', () => {
    const missing = { missing: ['torch', 'peft'], torch: null, cards: null };
    const outcome = preflightOutcome(ended(0), missing, variants['ddp-lora'] ?? ddp, '/venv/bin/python', 60);
    expect(words(outcome?.texts ?? [])).toEqual([
      "This Python has no torch, peft. Install what the plan needs: /venv/bin/python -m pip install torch==2.11.0 'peft>=0.18'",
    ]);
  });

  it('stops before a model is built where PyTorch sees too few cards', () => {
    const outcome = preflightOutcome(
      ended(0),
      { missing: [], torch: '2.11.0+cpu', cards: 0 },
      ddp,
      'python',
      60,
    );
    expect(words(outcome?.texts ?? [])).toEqual([
      'PyTorch 2.11.0+cpu of this Python sees 0 cards; the plan needs 2.',
    ]);
  });

  it('tells a program that is no Python', () => {
    expect(preflightOutcome(ended(0), null, ddp, 'python', 60)?.texts[0]?.key).toBe('measure.notPython');
    expect(preflightOutcome(ended(1), null, ddp, 'python', 60)).toMatchObject({ isFailure: true });
  });
});

describe('what came of the two steps', () => {
  const outcome = (end: ProgramEnd, ranks = [{ allocatedPeakBytes: 20.24 * GiB }, {}]) =>
    measuredOutcome(end, receipt(ranks), 600);

  it('is the measured peak beside the planned one', () =>
    expect(words(outcome(ended(0)).texts)).toEqual([
      'Measured: the allocator peaked at 20.2 GiB on rank 0; 20.0 GiB were planned (+1.2 %).',
    ]));

  it('is no number where no card was used', () =>
    expect(outcome(ended(0), [{}, {}]).texts[0]?.key).toBe('measure.noNumbers'));

  it('names every other end', () => {
    const keys = (
      [
        { kind: 'stopped' },
        { kind: 'timed-out' },
        { kind: 'flooded' },
        { kind: 'not-started', code: 'EACCES' },
        { kind: 'exited', exitCode: 1, signal: null },
        { kind: 'exited', exitCode: null, signal: 'SIGKILL' },
      ] as const
    ).map((end) => words(outcome(end).texts)[0]);
    expect(keys).toEqual([
      'Stopped before it was done.',
      'It was ended after 10 min without being done.',
      'It was ended because it printed without end.',
      'Python could not be started (EACCES). Choose another one.',
      'The run failed (exit code 1).',
      'The run was ended by SIGKILL.',
    ]);
    expect(outcome(ended(1)).isFailure).toBe(true);
    expect(outcome({ kind: 'stopped' }).isFailure).toBe(false);
  });
});

describe('a plan is not measured', () => {
  const key = (plan: typeof basePlan, cards: number) => measureRefusal(plan, cards)?.key ?? null;

  it('where the machine has too few cards, or none', () => {
    expect([key(ddp, 2), key(ddp, 1), key(ddp, 0)]).toEqual([null, 'measure.tooFewCards', 'measure.noCards']);
  });

  it('where random weights or this machine cannot stand for it', () => {
    expect(key(qlora, 2)).toBe('measure.quantised');
    expect(key(variants['zero3-nvme'] ?? basePlan, 2)).toBe('measure.nvme');
    expect(key({ ...ddp, nodes: 2 }, 2)).toBe('measure.manyNodes');
  });
});

describe('a plan that the page hands over', () => {
  it('is every plan that the planner makes', () => {
    for (const plan of Object.values(variants)) expect(launchPlanSchema.parse(plan)).toEqual(plan);
  });

  it('cannot carry text into the script', () => {
    const broken = [
      { name: 'x""" \nimport os' },
      { name: '../x' },
      { configJson: '[]' },
      { configJson: 'import os' },
      { lora: { rank: 8, alpha: 16, dropout: 0, targets: ['q"]; import os; ["'], dtype: 'fp32' } },
      { microBatch: '2; import os' },
      { strategy: 'single; rm' },
      { extra: 1 },
    ];
    for (const change of broken)
      expect(launchPlanSchema.safeParse({ ...basePlan, ...change }).success).toBe(false);
  });
});
