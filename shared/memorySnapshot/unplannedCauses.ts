/** Tensors that a plan does not count on unless it is told, by the function that makes them: a row a cause. */
import { message, type Message } from '../i18n/message';
import type { StackBytes } from './report';

interface UnplannedCause {
  /** Matches any frame, as `file:line:function`. */
  readonly frame: RegExp;
  readonly why: Message;
}

const causes: readonly UnplannedCause[] = [
  {
    // transformers/masking_utils.py and, before 4.53, modeling_attn_mask_utils.py make a whole mask where padding is given.
    frame:
      /:(?:sdpa_mask\w*|eager_mask|create_causal_mask|create_sliding_window_causal_mask|_prepare_4d\w*|_update_causal_mask|to_4d)$/,
    why: message('memorySnapshot.causePaddingMask'),
  },
  {
    frame: /cache_utils\.py:\d+:/,
    why: message('memorySnapshot.causeCache'),
  },
  {
    frame: /(?:swa_utils\.py:\d+:|:(?:ema_\w+|update_ema|_ema\w*)$)/i,
    why: message('memorySnapshot.causeAveragedWeights'),
  },
  {
    frame: /:(?:evaluate|evaluation_loop|prediction_step|validation_step|compute_metrics|nested_concat)$/,
    why: message('memorySnapshot.causeEvaluation'),
  },
  {
    frame: /(?:clip_grad\.py:\d+:|:clip_grad_norm_?$)/,
    why: message('memorySnapshot.causeClipping'),
  },
  {
    frame: /[\\/](?:_inductor|torchinductor_\w+|triton)[\\/]/,
    why: message('memorySnapshot.causeCompiled'),
  },
];

/** Why a stack holds what a plan does not have; null: nothing that is known. */
export const unplannedCause = ({ frames }: StackBytes): Message | null =>
  causes.find(({ frame }) => frames.some((text) => frame.test(text)))?.why ?? null;
