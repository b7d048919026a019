/** What of DeepSpeed's configuration decides memory, under the names of its file in our own spelling. */

export interface ZeroConfig {
  /** `reduce_bucket_size`: elements of a buffer in which gradients are reduced. */
  readonly reduceBucketElements: number;
  /** `overlap_comm`: one buffer is reduced on a stream of its own while the next is filled (stages 1 and 2 take two). */
  readonly overlapsCommunication: boolean;
  /** `round_robin_gradients`: parameters are dealt out to the processes in turns (stages 1 and 2). */
  readonly roundRobinGradients: boolean;
  /** `sub_group_size`: elements of a process' part that are updated at once (stage 3). */
  readonly subGroupElements: number;
  /** `stage3_prefetch_bucket_size`: elements that are gathered ahead with every module. */
  readonly prefetchElements: number;
  /** `stage3_max_live_parameters`: gathering ahead stops at this many. */
  readonly maxLiveElements: number;
  /** `stage3_max_reuse_distance`: what is used again within this many elements stays gathered. */
  readonly maxReuseElements: number;
  /** `stage3_param_persistence_threshold`: parameters with no more elements stay gathered. */
  readonly persistenceElements: number;
}

/**
 * What the launch files write, and DeepSpeed's own values for what they leave out.
 * https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/runtime/zero/config.py
 */
export const writtenZeroConfig: ZeroConfig = {
  reduceBucketElements: 5e8,
  overlapsCommunication: true,
  roundRobinGradients: false,
  subGroupElements: 1e9,
  prefetchElements: 5e7,
  maxLiveElements: 1e9,
  maxReuseElements: 1e9,
  persistenceElements: 1e5,
};

/** How a run uses DeepSpeed. */
export interface ZeroSettings {
  readonly world: number;
  readonly rank: number;
  /** Master weights and optimizer state are in the machine's memory (or on a disk). */
  readonly optimizerOnHost: boolean;
  readonly config: ZeroConfig;
}

/** And what of it only stage 3 has. */
export interface ZeroThreeSettings extends ZeroSettings {
  /** The 16-bit shards are in the machine's memory too. */
  readonly parametersOnHost: boolean;
}

/** Gradient norms are taken in fp64: https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/runtime/zero/utils.py */
export const normBytes = 8;
