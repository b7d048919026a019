/** A model is loaded shard by shard until its card is nine tenths full, and then trained: steps like a leak's, on a card that does not compute. */
import { message } from '../../../shared/i18n/message';
import { cardsOf, rtx4090 } from '../cards';
import { program, python } from '../programs';
import { healthyCard, onCard, wave, type Scene } from '../scene';

const contextMiB = 420;
const shardMiB = 2_380;
const shards = 9;
const secondsPerShard = 12;
const loadedAt = shards * secondsPerShard;

function usedMiB(seconds: number): number {
  return contextMiB + shardMiB * Math.min(shards, Math.floor(seconds / secondsPerShard));
}

export const loadingShards: Scene = {
  id: 'loading-shards',
  title: message('scenes.loadingShardsTitle'),
  description: message('scenes.loadingShardsDescription', { shards }),
  driverVersion: '570.124.06',
  cudaVersion: '12.8',
  cards: cardsOf(rtx4090, 1),
  programs: [program({ key: 'loading', command: [python, 'finetune_qwen.py', '--qlora'], openDevices: [0] })],
  processesAt: (seconds) => [
    onCard({
      program: 'loading',
      gpuIndex: 0,
      usedMiB: usedMiB(seconds),
      utilizationPercent: seconds < loadedAt ? 2 + wave(seconds, 0) : 96 + 2 * wave(seconds, 0),
    }),
  ],
  conditionAt: () => healthyCard,
  failureAt: () => null,
};
