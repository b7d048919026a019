/** nvidia-smi stops answering in mid-run, as with a wedged driver, and comes back later. */
import { message } from '../../../shared/i18n/message';
import { cardsOf, rtx3090 } from '../cards';
import { torchrunJob } from '../programs';
import { healthyCard, onCard, wave, type Scene } from '../scene';

const hangBeginsSeconds = 12;
const hangEndsSeconds = 36;

export const smiHangs: Scene = {
  id: 'smi-hangs',
  title: message('scenes.smiHangsTitle'),
  description: message('scenes.smiHangsDescription', { from: hangBeginsSeconds, until: hangEndsSeconds }),
  driverVersion: '550.163.01',
  cudaVersion: '12.4',
  cards: cardsOf(rtx3090, 2),
  programs: torchrunJob({
    key: 'finetune',
    script: ['finetune_lora.py', '--rank', '16'],
    gpuIndices: [0, 1],
    masterPort: 29_501,
    workersPerRank: 1,
  }),
  processesAt: (seconds) =>
    [0, 1].map((gpuIndex) =>
      onCard({
        program: `finetune.rank${gpuIndex}`,
        gpuIndex,
        usedMiB: 17_344,
        utilizationPercent: 94 + 4 * wave(seconds, gpuIndex),
      }),
    ),
  conditionAt: () => healthyCard,
  failureAt: (seconds) =>
    seconds >= hangBeginsSeconds && seconds < hangEndsSeconds ? { kind: 'hang' } : null,
};
