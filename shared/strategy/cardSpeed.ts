/**
 * Peak speeds of cards and what training reaches of them. Peaks are from NVIDIA's data sheets and architecture papers: dense 16-bit
 * tensor operations with 32-bit sums, 32-bit operations without TF32 (PyTorch's default), and memory. Only ratios of them matter here.
 */
import type { Card } from '../memory/cards';

/** What training reaches. An operation is a product or a sum. */
export interface CardSpeed {
  readonly halfOperationsPerSecond: number;
  readonly singleOperationsPerSecond: number;
  readonly memoryBytesPerSecond: number;
}

/** Peaks in tera-operations (16 and 32 bits) and gigabytes a second. */
type Peak = readonly [halfTera: number, singleTera: number, memoryGigabytes: number];

const peaks: Readonly<Record<string, Peak>> = {
  H200: [989, 67, 4800],
  'H100 PCIe': [756, 51, 2000],
  H100: [989, 67, 3350],
  H800: [989, 67, 3350],
  H20: [148, 44, 4000],
  GH200: [989, 67, 4000],
  B200: [2250, 75, 8000],
  B300: [2250, 75, 8000],
  GB200: [2500, 80, 8000],
  'RTX 5090': [209, 105, 1792],
  'RTX 5080': [113, 56, 960],
  'RTX 5070 Ti': [88, 44, 896],
  'RTX 5070': [62, 31, 672],
  'RTX PRO 6000': [504, 126, 1792],
  'RTX 4090': [165, 83, 1008],
  'RTX 4080 SUPER': [104, 52, 736],
  'RTX 4080': [97, 49, 717],
  'RTX 4070 Ti': [80, 40, 504],
  'RTX 4070': [58, 29, 504],
  'RTX 4060 Ti': [44, 22, 288],
  'RTX 4060': [30, 15, 272],
  'RTX 6000 Ada': [364, 91, 960],
  L40S: [362, 92, 864],
  L40: [181, 91, 864],
  L4: [121, 30, 300],
  A100: [312, 19.5, 2039],
  A800: [312, 19.5, 2039],
  A30: [165, 10.3, 933],
  'RTX 3090 Ti': [80, 40, 1008],
  'RTX 3090': [71, 36, 936],
  'RTX 3080 Ti': [68, 34, 912],
  'RTX 3080': [60, 30, 760],
  'RTX 3070': [41, 20, 448],
  'RTX 3060': [25.5, 12.7, 360],
  'RTX A6000': [155, 39, 768],
  A40: [150, 37, 696],
  A10G: [70, 35, 600],
  A10: [125, 31, 600],
  'RTX 2080 Ti': [54, 13.4, 616],
  'RTX 2080': [40, 10, 448],
  'TITAN RTX': [130, 16.3, 672],
  'Quadro RTX 8000': [130, 16.3, 672],
  'Quadro RTX 6000': [130, 16.3, 672],
  T4: [65, 8.1, 320],
  V100: [125, 15.7, 900],
  'TITAN V': [110, 14.9, 653],
  P100: [21.2, 10.6, 732],
  P40: [11.8, 11.8, 346],
  'GTX 1080 Ti': [11.3, 11.3, 484],
  'GTX 1080': [8.9, 8.9, 320],
};

/**
 * What products of a training step reach of the peak, in 16 and in 32 bits, and element-wise kernels of the memory's. With these the
 * step times that were measured on an H200 (`stepTime.test.ts`) come out between 0.6 and 1.0 of what was measured; whole steps are
 * published at 35 to 60 % of a card's 16-bit peak (torchtitan, llm-foundry), with what is around their products. That other cards reach
 * the same part of their peaks is assumed: it moves computing against traffic, and so where sharding begins to pay.
 */
const reachedOfHalf = 0.45;
const reachedOfSingle = 0.7;
const reachedOfMemory = 0.8;

/** Speeds that training reaches. A card that is not in the table has those of one with as many multiprocessors, roughly. */
export function speedOf(card: Card): CardSpeed {
  const [halfTera, singleTera, memoryGigabytes] = peaks[card.name] ?? peakByMultiprocessors(card);
  return {
    halfOperationsPerSecond: halfTera * 1e12 * reachedOfHalf,
    singleOperationsPerSecond: singleTera * 1e12 * reachedOfSingle,
    memoryBytesPerSecond: memoryGigabytes * 1e9 * reachedOfMemory,
  };
}

/**
 * For a card that is in no table: what an RTX 3090 (82 multiprocessors) or, before Ampere, an RTX 2080 Ti (68) has for each of theirs.
 * All strategies run on the same card, so a wrong guess moves only computing against traffic.
 */
function peakByMultiprocessors({ flashAttention, multiprocessors }: Card): Peak {
  const [like, count] = flashAttention ? (['RTX 3090', 82] as const) : (['RTX 2080 Ti', 68] as const);
  const [halfTera, singleTera, memoryGigabytes] = peaks[like] ?? [71, 36, 936];
  const share = multiprocessors / count;
  return [halfTera * share, singleTera * share, memoryGigabytes * share];
}
