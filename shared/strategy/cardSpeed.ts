/**
 * Peak speeds of cards, from NVIDIA's data sheets and architecture papers: dense 16-bit tensor operations with 32-bit sums,
 * 32-bit operations without TF32 (PyTorch's default), and memory. Only ratios of them matter here.
 */
import type { Card } from '../memory/cards';

export interface CardSpeed {
  /** 16-bit operations a second. */
  readonly half: number;
  /** 32-bit operations a second. */
  readonly single: number;
  /** Bytes a second of the card's memory. */
  readonly memory: number;
}

/** Tera-operations, tera-operations, gigabytes a second. */
const speeds: Readonly<Record<string, readonly [half: number, single: number, memory: number]>> = {
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

/** What products of a training step reach of the peak: 16-bit and 32-bit, as measured on an H200 (`timing.jsonl`). */
const REACHED_HALF = 0.45;
const REACHED_SINGLE = 0.7;
/** What element-wise kernels reach of the memory's speed. */
const REACHED_MEMORY = 0.8;

/** Speeds that training reaches. A card that is not in the table has those of one with as many multiprocessors, roughly. */
export function speedOf(card: Card): CardSpeed {
  const [half, single, memory] = speeds[card.name] ?? guessed(card);
  return {
    half: half * 1e12 * REACHED_HALF,
    single: single * 1e12 * REACHED_SINGLE,
    memory: memory * 1e9 * REACHED_MEMORY,
  };
}

/** Per multiprocessor of the generation that the card's kernels belong to: an RTX 3090 or an RTX 2080 Ti. */
function guessed({ flashAttention, multiprocessors }: Card): readonly [number, number, number] {
  return flashAttention
    ? [0.87 * multiprocessors, 0.43 * multiprocessors, 11.4 * multiprocessors]
    : [0.79 * multiprocessors, 0.2 * multiprocessors, 9 * multiprocessors];
}
