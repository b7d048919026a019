import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { launchFolder } from '../../../../shared/launch/folder';
import { planId, savedPlanOf } from '../../../../shared/launch/savedPlan';
import { planIdOf } from '../../../../shared/planVariable';
import { basePlan, variants } from './variants';

const fileOf = (name: string, file: string) =>
  launchFolder(variants[name] ?? basePlan, 'en', '1.2.3').find((one) => one.name === file)?.text ?? '';

describe('a plan’s id', () => {
  it('is 16 hexadecimal digits, the same for the same plan however its keys are ordered', () => {
    const turned = Object.fromEntries(Object.entries(basePlan).reverse()) as unknown as typeof basePlan;
    expect(planId(basePlan)).toMatch(/^[0-9a-f]{16}$/);
    expect(planId(turned)).toBe(planId({ ...basePlan }));
  });

  it('differs between all variants', () =>
    expect(new Set(Object.values(variants).map(planId)).size).toBe(Object.keys(variants).length));

  it('changes with what is planned, in settings or bytes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), fc.integer({ min: 1, max: 64 }), (bytes, micro) => {
        const [first] = basePlan.planned;
        if (first === undefined) throw new Error('the plan has a rank');
        const other = {
          ...basePlan,
          microBatch: micro,
          planned: [{ ...first, allocatedPeakBytes: bytes }],
        };
        const same = micro === basePlan.microBatch && bytes === first.allocatedPeakBytes;
        expect(planId(other) === planId(basePlan)).toBe(same);
      }),
    );
  });

  it('is read from a variable only where it is one', () => {
    expect(planIdOf('00ff00ff00ff00ff')).toBe('00ff00ff00ff00ff');
    for (const other of [null, '', 'none', '00ff00ff00ff00fg', ' 00ff00ff00ff00ff'])
      expect(planIdOf(other)).toBeNull();
  });
});

describe('the files of a plan', () => {
  it('hold the plan with the bytes of every rank', () => {
    expect(JSON.parse(fileOf('ddp', 'headroom-plan.json'))).toEqual({
      version: 1,
      id: planId(variants['ddp'] ?? basePlan),
      name: 'tiny-llama',
      ranks: [
        {
          allocatedPeakBytes: 100_000_000,
          reservedPeakBytes: 120_000_000,
          contextBytes: 400_000_000,
          processBytes: 520_000_000,
        },
      ],
      correction: { contextBytes: 0, share: 0 },
      settings: {
        method: 'full',
        strategy: 'ddp',
        precision: 'amp-bf16',
        optimizer: 'adamw-fused',
        checkpointing: 'none',
        offload: 'none',
        world: 2,
        microBatch: 2,
        accumulationSteps: 2,
        gradientSync: 'last',
        sequence: 128,
      },
      appVersion: '1.2.3',
    });
    expect(savedPlanOf(basePlan, null).appVersion).toBeNull();
  });

  it('mark what they start with the plan, on one machine, under Slurm and in Kubernetes', () => {
    const plan = { ...(variants['fsdp'] ?? basePlan), world: 16, nodes: 2 };
    const id = planId(plan);
    const textOf = (name: string) => launchFolder(plan, 'en').find((file) => file.name === name)?.text ?? '';
    expect(textOf('launch.sh')).toContain(`export HEADROOM_PLAN=${id}\nexec torchrun`);
    expect(textOf('train.slurm')).toMatch(new RegExp(`export HEADROOM_PLAN=${id}\n[^]*srun torchrun`));
    expect(textOf('pytorchjob.yaml')).toMatch(new RegExp(`- name: HEADROOM_PLAN\n +value: "?${id}"?`));
  });

  it('say in both languages how a run is tied to its plan', () => {
    expect(fileOf('ddp', 'README.md')).toContain(
      'It runs `torchrun --standalone --nproc-per-node=2 train.py` and marks the processes with HEADROOM_PLAN',
    );
    const chinese = launchFolder(basePlan, 'zh-CN').at(-1)?.text ?? '';
    expect(chinese).toContain('它运行 `python3 train.py`，并用 HEADROOM_PLAN 标记进程');
  });
});
