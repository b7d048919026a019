import {
  type GradientSync,
  isMixed,
  type PixelType,
  type Precision,
  type Strategy,
} from '../memory/configuration';

/** A chosen plan with everything that its files need; sizes in bytes, lengths in tokens. */
export interface LaunchPlan {
  /** A file-safe name, such as `llama-2-13b`. */
  readonly name: string;
  /** Which class loads it, and what a batch is. */
  readonly task: 'causal' | 'masked' | 'sequence-to-sequence' | 'image';
  /** The model's config.json, written beside the script so that it runs with random weights at once. */
  readonly configJson: string;
  readonly method: 'full' | 'lora' | 'qlora';
  readonly lora: {
    readonly rank: number;
    readonly alpha: number;
    readonly dropout: number;
    /** `all-linear`, or names of modules. */
    readonly targets: 'all-linear' | readonly string[];
    readonly dtype: 'fp32' | 'model';
  } | null;
  readonly doubleQuant: boolean;
  readonly precision: Precision;
  readonly optimizer: LaunchOptimizer;
  readonly strategy: Strategy;
  readonly world: number;
  readonly nodes: number;
  /** How the stages of a pipeline take turns; null for other strategies. `sequential`: one process places its layers on the cards. */
  readonly schedule: '1f1b' | 'gpipe' | 'sequential' | null;
  /** Layers of each stage (or card) of a pipeline, in order; null for other strategies. */
  readonly stageLayers: readonly number[] | null;
  readonly offload: 'none' | 'optimizer' | 'all' | 'nvme';
  readonly checkpointing: 'none' | 'full';
  readonly attention: 'sdpa' | 'cudnn' | 'flash' | 'efficient' | 'math' | 'eager';
  readonly microBatch: number;
  readonly accumulationSteps: number;
  /** With which micro-batches FSDP and DDP exchange gradients; null for strategies that have one way. */
  readonly gradientSync: GradientSync | null;
  readonly sequence: number;
  readonly gradientClip: boolean;
  readonly expandableSegments: boolean;
  /** What the plan expects of each rank, in their order. */
  readonly planned: readonly PlannedRank[];
  /** What of `planned` was learnt on this machine and is not the engine's own. */
  readonly correction: AppliedCorrection;
}

/** By how much receipts of earlier runs moved an estimate; zeros where they did not. */
export interface AppliedCorrection {
  /** Added to the context, in bytes. */
  readonly contextBytes: number;
  /** Of the allocator: 0.012 is 1.2 % more. */
  readonly share: number;
}

/** What is planned is the engine's own. */
export const uncorrected: AppliedCorrection = { contextBytes: 0, share: 0 };

/** The memory that a plan expects of one rank, in bytes. */
export interface PlannedRank {
  /** PyTorch's `max_memory_allocated`. */
  readonly allocatedPeakBytes: number;
  /** PyTorch's `max_memory_reserved`. */
  readonly reservedPeakBytes: number;
  /** The CUDA context and all else that the process holds outside of the allocator. */
  readonly contextBytes: number;
  /** Reserved and context together: what nvidia-smi shows of the process. */
  readonly processBytes: number;
}

/** The optimizers that the script can make; the engine knows more. */
export const launchOptimizers = [
  'adamw',
  'adamw-fused',
  'adamw-loop',
  'sgd',
  'sgd-momentum',
  'adafactor',
  'adamw-8bit',
  'paged-adamw-8bit',
] as const;
export type LaunchOptimizer = (typeof launchOptimizers)[number];

/** The script casts images to the type of the weights. */
export const scriptPixels: PixelType = 'weights';

/** One file of a plan's folder. */
export interface LaunchFile {
  readonly name: string;
  readonly text: string;
}

/** FSDP2: parameters, gradients and optimizer in shards. */
export const isFsdp = ({ strategy }: LaunchPlan): boolean =>
  strategy === 'fsdp-full' || strategy === 'fsdp-grad-op';
/** A whole model in each process, gradients exchanged in buckets. */
export const isDdp = ({ strategy }: LaunchPlan): boolean =>
  strategy === 'ddp' || strategy === 'ddp-bucket-view';
/** ZeRO, by DeepSpeed. */
export const isDeepSpeed = ({ strategy }: LaunchPlan): boolean =>
  strategy === 'zero1' || strategy === 'zero2' || strategy === 'zero3';
/** One process that copies the model to all cards in each step. */
export const isDataParallel = ({ strategy }: LaunchPlan): boolean => strategy === 'dp';
/** Every layer cut over all cards, as transformers' `tp_plan` says. */
export const isTensorParallel = ({ strategy }: LaunchPlan): boolean => strategy === 'tensor';
/** One process a stage. */
export const isPipeline = ({ schedule, strategy }: LaunchPlan): boolean =>
  strategy === 'pipeline' && schedule !== 'sequential';
/** One process whose layers lie on several cards. */
export const isPlaced = ({ schedule, strategy }: LaunchPlan): boolean =>
  strategy === 'pipeline' && schedule === 'sequential';
/** One process that uses several cards itself. */
export const hasManyCards = (plan: LaunchPlan): boolean => isDataParallel(plan) || isPlaced(plan);
/** More than one process takes part: started by torchrun (or deepspeed), with a process group. */
export const hasRanks = (plan: LaunchPlan): boolean =>
  isDdp(plan) || isFsdp(plan) || isDeepSpeed(plan) || isTensorParallel(plan) || isPipeline(plan);
/** Whether ranks read different samples; the stages of a pipeline and the shards of a tensor read the same. */
export const dividesSamples = (plan: LaunchPlan): boolean => isDdp(plan) || isFsdp(plan) || isDeepSpeed(plan);
/** Weights in fp32, products in 16 bits; under FSDP2 and DeepSpeed these cast themselves. */
export const isAutocast = ({ precision }: LaunchPlan): boolean => isMixed(precision);
/** fp16 under autocast needs a scaler; DeepSpeed has its own. */
export const hasScaler = (plan: LaunchPlan): boolean => plan.precision === 'amp-fp16' && !isDeepSpeed(plan);
