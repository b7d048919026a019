/** What `headroom estimate` is asked: one training configuration. Sizes are bytes unless the name says otherwise. */
import type { GpuModel } from '../gpu/models';
import type { AttentionRequest } from './operations/attention/request';
import type { Checkpointing } from './tape/checkpointing';
import type { OptimizerName } from './training/optimizers';
import type { Schedule } from './training/pipeline/schedule';

/** Types of weights and products: all fp32, autocast over fp32 weights, all bf16. */
export const precisionNames = ['fp32', 'amp-bf16', 'amp-fp16', 'bf16'] as const;

export type Precision = (typeof precisionNames)[number];

/** Mixed precision: weights in fp32, products in 16 bits. */
export const isMixed = (precision: Precision): boolean =>
  precision === 'amp-bf16' || precision === 'amp-fp16';

/** LoRA as peft has it. */
export interface LowRankSettings {
  readonly rank: number;
  /** `lora_alpha`: what adapters make is multiplied by alpha over rank. */
  readonly alpha: number;
  readonly targets: readonly string[] | 'all-linear';
  readonly dropout: number;
  /** `fp32`: peft's default; `model`: the base's type. */
  readonly adapterType: 'fp32' | 'model';
}

/** Adapters where nothing is said: peft's dropout and type, and rank, alpha and targets as the launch files write them. */
export const defaultAdapters: LowRankSettings = {
  rank: 16,
  alpha: 32,
  targets: 'all-linear',
  dropout: 0,
  adapterType: 'fp32',
};

/** Tokens of a sample where nothing is said. */
export const defaultSequence = 2048;

/** The type of the pixels that a model is given: as image processors make them, or cast before to the type of its weights. */
export type PixelType = 'fp32' | 'weights';

/** What is trained: all weights, or adapters beside a frozen base, which QLoRA keeps in 4 bits. */
export type Method =
  | { readonly kind: 'full' }
  | { readonly kind: 'lora'; readonly adapters: LowRankSettings }
  | { readonly kind: 'qlora'; readonly adapters: LowRankSettings; readonly doubleQuantization: boolean };

/** How training is spread over cards. */
export const strategyNames = [
  'single',
  'dp',
  'ddp',
  'ddp-bucket-view',
  'fsdp-full',
  'fsdp-grad-op',
  'zero1',
  'zero2',
  'zero3',
  'tensor',
  'pipeline',
] as const;

export type Strategy = (typeof strategyNames)[number];

/** A whole model in each process, gradients exchanged in buckets. */
export const isDdp = (strategy: Strategy): boolean => strategy === 'ddp' || strategy === 'ddp-bucket-view';
/** FSDP2: `fsdp-full` gives gathered weights back after forward, `fsdp-grad-op` keeps them for backward. */
export const isFsdp = (strategy: Strategy): boolean =>
  strategy === 'fsdp-full' || strategy === 'fsdp-grad-op';
/** DeepSpeed. */
export const isZero = (strategy: Strategy): boolean =>
  strategy === 'zero1' || strategy === 'zero2' || strategy === 'zero3';

/** What is moved to the machine's memory, or to a disk. */
export const offloadNames = ['none', 'optimizer', 'all', 'nvme'] as const;

export type Offload = (typeof offloadNames)[number];

/**
 * When ranks that train the same parameters exchange their gradients: with every micro-batch, or with the last of a step alone, until
 * which each rank keeps whole ones.
 */
export const gradientSyncNames = ['each', 'last'] as const;

export type GradientSync = (typeof gradientSyncNames)[number];

/** Whether the script decides when gradients are exchanged; DeepSpeed does it by its stage, the others have one way. */
const choosesGradientSync = (strategy: Strategy): boolean => isDdp(strategy) || isFsdp(strategy);

/**
 * What the files of a plan do where nothing else was planned: the way that holds less, and of two that hold the same the one that sends
 * less. FSDP would keep whole gradients beside its shards, DDP with bucket views gradients beside its buckets; DDP without views has
 * both anyway.
 */
const standardGradientSync = (strategy: Strategy): GradientSync =>
  isFsdp(strategy) || strategy === 'ddp-bucket-view' ? 'each' : 'last';

/** What a training does; null where the strategy has one way. */
export const gradientSyncOf = (
  strategy: Strategy,
  { gradientSync }: Pick<TrainingSettings, 'gradientSync'>,
): GradientSync | null =>
  choosesGradientSync(strategy) ? (gradientSync ?? standardGradientSync(strategy)) : null;

/** In which type FSDP reduces gradients under mixed precision: `reduce_dtype` is fp32, or `param_dtype`. */
type ReduceType = 'fp32' | 'compute';

/** The training itself, without the cards it shall run on. */
export interface TrainingSettings {
  readonly method: Method;
  readonly precision: Precision;
  readonly optimizer: OptimizerName;
  readonly microBatch: number;
  /** Tokens of a sample; ignored for images. */
  readonly sequence: number;
  /** Micro-batches a step; above 1 the gradients stay through the next forward. */
  readonly accumulation: number;
  readonly checkpointing: Checkpointing;
  readonly attention: AttentionRequest;
  readonly clipGradients: boolean;
  /** Null: the strategy's `standardGradientSync`. Without accumulation, and for strategies that do not choose, it means nothing. */
  readonly gradientSync: GradientSync | null;
  /** The files of a plan reduce in fp32. */
  readonly reduceType: ReduceType;
  /** Ignored where no images are seen. Measured rows gave their models fp32, what is asked by hand means the same. */
  readonly pixels: PixelType;
}

/**
 * What runs the training. `headroom`: the files of a plan, under the versions that were measured; the others run transformers of any
 * version in loops of their own, and the last three have their own modelling code.
 */
export const stackNames = [
  'headroom',
  'trainer',
  'trl',
  'llama-factory',
  'axolotl',
  'unsloth',
  'torchtune',
  'litgpt',
] as const;

export type TrainingStack = (typeof stackNames)[number];

/** A whole question: the training, how it is spread, and the cards. */
export interface EstimateRequest {
  readonly training: TrainingSettings;
  readonly strategy: Strategy;
  /** Cards that the strategy uses, shards or stages included. */
  readonly world: number;
  readonly offload: Offload;
  /** How the stages of `pipeline` take turns; ignored by other strategies. */
  readonly schedule: Schedule;
  readonly expandableSegments: boolean;
  /** What depends on the card; null: the one that was measured. */
  readonly card: GpuModel | null;
  /** Memory of each card in MiB, one for all or one a rank; empty: not asked. */
  readonly cardMib: readonly number[];
  /** All that a process holds outside of the allocator, where it is known. */
  readonly contextMib: number | null;
  /** Absent: `headroom`. */
  readonly stack?: TrainingStack;
  /** Whether the course of the step is wanted. */
  readonly timeline: boolean;
}
