/** What `headroom estimate` is asked: one training configuration. Sizes are bytes unless the name says otherwise. */
import type { AttentionRequest, Checkpointing } from './families/context';
import type { OptimizerName } from './training/optimizers';

export type Precision = 'fp32' | 'amp-bf16' | 'amp-fp16' | 'bf16';

export interface LowRankSettings {
  readonly rank: number;
  readonly targets: readonly string[] | 'all-linear';
  readonly dropout: number;
  /** `fp32`: peft's default; `model`: the base's type. */
  readonly adapterType: 'fp32' | 'model';
}

export type Method =
  | { readonly kind: 'full' }
  | { readonly kind: 'lora'; readonly adapters: LowRankSettings }
  | { readonly kind: 'qlora'; readonly adapters: LowRankSettings; readonly doubleQuantization: boolean };

export type Strategy =
  | 'single'
  | 'dp'
  | 'ddp'
  | 'ddp-bucket-view'
  | 'fsdp-full'
  | 'fsdp-grad-op'
  | 'zero1'
  | 'zero2'
  | 'zero3'
  | 'tensor'
  | 'pipeline';

export type Offload = 'none' | 'optimizer' | 'all' | 'nvme';

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
}
