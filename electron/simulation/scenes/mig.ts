/** Two A100 cards, the first split by MIG into three instances with a job on two of them. */
import { message } from '../../../shared/i18n/message';
import { a100, cardsOf } from '../cards';
import { program, python } from '../programs';
import { healthyCard, onCard, wave, type ProcessMoment, type Scene, type SceneMigSlice } from '../scene';

const slices: readonly SceneMigSlice[] = [
  {
    gpuInstance: 1,
    computeInstance: 0,
    profile: '4g.40gb',
    memoryTotalMiB: 40_192,
    multiprocessors: 56,
    uuid: 'MIG-5ce7e000-0000-4000-8000-000000000101',
  },
  {
    gpuInstance: 5,
    computeInstance: 0,
    profile: '2g.20gb',
    memoryTotalMiB: 19_968,
    multiprocessors: 28,
    uuid: 'MIG-5ce7e000-0000-4000-8000-000000000102',
  },
  {
    gpuInstance: 13,
    computeInstance: 0,
    profile: '1g.10gb',
    memoryTotalMiB: 9_728,
    multiprocessors: 14,
    uuid: 'MIG-5ce7e000-0000-4000-8000-000000000103',
  },
];

const onSlice = (key: string, gpuInstance: number, usedMiB: number): ProcessMoment => ({
  program: key,
  gpuIndex: 0,
  type: 'C',
  usedMiB,
  utilizationPercent: 40,
  gpuInstance,
  computeInstance: 0,
});

const inMig = (uuid: string): Readonly<Record<string, string>> => ({ CUDA_VISIBLE_DEVICES: uuid });

export const mig: Scene = {
  id: 'mig',
  title: message('scenes.migTitle'),
  description: message('scenes.migDescription'),
  driverVersion: '580.159.04',
  cudaVersion: '13.0',
  cards: cardsOf(a100, 2, { mig: { 0: slices } }),
  programs: [
    program({
      key: 'bert',
      command: [python, 'finetune_bert.py', '--epochs', '3'],
      environment: inMig(slices[0]?.uuid ?? ''),
      openDevices: [0],
    }),
    program({
      key: 'probe',
      command: [python, 'probe_embeddings.py', '--layer', '12'],
      environment: inMig(slices[1]?.uuid ?? ''),
      openDevices: [0],
    }),
    program({ key: 'llama', command: [python, 'train_llama.py', '--fsdp'], openDevices: [1] }),
  ],
  processesAt: (seconds) => [
    onSlice('bert', 1, 31_488),
    onSlice('probe', 5, 7_302),
    onCard({
      program: 'llama',
      gpuIndex: 1,
      usedMiB: 71_840,
      utilizationPercent: 97 + 2 * wave(seconds, 1),
    }),
  ],
  conditionAt: () => healthyCard,
  failureAt: () => null,
};
