/** What is run to measure a plan: the plan's own script, for two steps. */
import { requirements } from '../launch/configurations';
import { hasRanks, type LaunchPlan } from '../launch/plan';
import { planId } from '../launch/savedPlan';
import { planVariable } from '../planVariable';

/** Every process of one measurement carries this variable, so that all of them, and only they, can be ended. */
export const measureVariable = 'HEADROOM_MEASURE';

/** The first step makes the optimizer's states; the second is the first that has them throughout. */
const steps = ['--steps', '2', '--report-every', '1'];

/** The arguments of Python: torchrun as a module, so that it is this Python's own. */
export function measureArguments(plan: LaunchPlan): readonly string[] {
  if (!hasRanks(plan)) return ['train.py', ...steps];
  return [
    '-m',
    'torch.distributed.run',
    '--standalone',
    `--nproc-per-node=${plan.world}`,
    'train.py',
    ...steps,
  ];
}

/** What the environment adds. Random weights need no download, and none is allowed. */
export function measureEnvironment(
  plan: LaunchPlan,
  mark: string,
  gpuIndices: readonly number[] | null,
): Readonly<Record<string, string>> {
  return {
    [planVariable]: planId(plan),
    [measureVariable]: mark,
    HF_HUB_OFFLINE: '1',
    TRANSFORMERS_OFFLINE: '1',
    PYTHONUNBUFFERED: '1',
    PYTHONIOENCODING: 'utf-8',
    // nvidia-smi counts in the order of the bus; CUDA's own default is the fastest card first.
    ...(gpuIndices === null
      ? {}
      : { CUDA_DEVICE_ORDER: 'PCI_BUS_ID', CUDA_VISIBLE_DEVICES: gpuIndices.join(',') }),
  };
}

/** The packages that the plan needs, by the name they are installed under, each with its version. */
export function neededPackages(
  plan: LaunchPlan,
): readonly { readonly name: string; readonly needed: string }[] {
  return requirements(plan)
    .text.split('\n')
    .flatMap((line) => {
      const name = /^[A-Za-z0-9_-]+/.exec(line)?.[0];
      return name === undefined ? [] : [{ name, needed: line }];
    });
}

/** The command in one line, words with blanks or signs of the shell in quotes. */
export function commandText(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`))
    .join(' ');
}
