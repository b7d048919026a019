/** A day on which nothing stays as it is, for the soak: a job every eight minutes, a card that comes and goes, nvidia-smi that fails. */
import { message } from '../../../shared/i18n/message';
import { a100, cardsOf } from '../cards';
import { torchrunJob } from '../programs';
import { healthyCard, onCard, wave, type Scene, type SceneFailure } from '../scene';

const daySeconds = 86_400;
const jobEverySeconds = 480;
const jobSeconds = 420;
const cardCount = 8;
/** Falls off the bus for six minutes of every hour. */
const restlessCard = 7;

interface PlannedJob {
  readonly key: string;
  readonly from: number;
  readonly cards: readonly number[];
  /** Its launcher is killed halfway, and its ranks stay behind. */
  readonly isOrphaned: boolean;
}

const jobs: readonly PlannedJob[] = Array.from({ length: daySeconds / jobEverySeconds }, (_, index) => ({
  key: `job${index}`,
  from: index * jobEverySeconds,
  cards: [(2 * index) % cardCount, (2 * index + 1) % cardCount],
  isOrphaned: index % 5 === 0,
}));

const runs = ({ from }: PlannedJob, seconds: number): boolean =>
  seconds >= from && seconds < from + jobSeconds;

export const restless: Scene = {
  id: 'restless',
  title: message('scenes.restlessTitle'),
  description: message('scenes.restlessDescription'),
  driverVersion: '570.124.06',
  cudaVersion: '12.8',
  cards: cardsOf(a100, cardCount),
  programs: jobs.flatMap((job, index) =>
    torchrunJob({
      key: job.key,
      script: ['train.py', '--fold', String(index)],
      gpuIndices: job.cards,
      masterPort: 29_500 + (index % 100),
      workersPerRank: 1,
      launcherAliveAt: (seconds) =>
        runs(job, seconds) && !(job.isOrphaned && seconds > job.from + jobSeconds / 2),
      rankAliveAt: (seconds) => runs(job, seconds),
    }),
  ),
  processesAt: (seconds) =>
    jobs
      .filter((job) => runs(job, seconds))
      .flatMap((job) =>
        job.cards.map((gpuIndex, rank) =>
          onCard({
            program: `${job.key}.rank${rank}`,
            gpuIndex,
            usedMiB: Math.min(38_000, 2_000 + 150 * (seconds - job.from)),
            utilizationPercent: 90 + 8 * wave(seconds, gpuIndex),
          }),
        ),
      ),
  conditionAt: (seconds, gpuIndex) => ({
    ...healthyCard,
    lost: gpuIndex === restlessCard && seconds % 3_600 >= 1_200 && seconds % 3_600 < 1_560,
  }),
  failureAt: (seconds): SceneFailure | null => {
    if (seconds % 21_600 >= 7_200 && seconds % 21_600 < 8_400) return { kind: 'hang' };
    if (seconds % 10_800 < 240 && seconds >= 240)
      return {
        kind: 'message',
        text: 'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 570.124\n',
        exitCode: 18,
      };
    return null;
  },
};
