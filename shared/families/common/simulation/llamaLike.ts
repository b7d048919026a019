/** Decoders with llama's block: the code of one as what it does otherwise than llama's. Sizes, biases, windows and the placement of norms come from the Architecture.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/llama/modeling_llama.py
 */
import type { FamilyForward } from '../../forward';
import {
  type DecoderCode,
  type DecoderNames,
  causalDecoderLoss,
  llamaDecoderCode,
  llamaNames,
} from './causalDecoder';
import { type AttentionCode, decoderAttention, llamaAttentionCode } from './decoderAttention';
import { type BlockCode, decoderBlock, llamaBlockCode } from './decoderBlock';
import { type ExpertsCode, mixtralExpertsCode } from './experts';
import { qwenRouter } from './routers';

/** What a family changes of llama's code. */
interface Changes {
  readonly names?: Partial<DecoderNames>;
  readonly decoder?: Partial<DecoderCode>;
  readonly block?: Partial<Omit<BlockCode, 'norms' | 'attend'>>;
  readonly norms?: Partial<BlockCode['norms']>;
  readonly attention?: Partial<AttentionCode>;
}

export function like(changes: Changes): FamilyForward {
  const block = decoderBlock({
    ...llamaBlockCode,
    ...changes.block,
    norms: { ...llamaBlockCode.norms, ...changes.norms },
    attend: decoderAttention({ ...llamaAttentionCode, ...changes.attention }),
  });
  const names = { ...llamaNames, ...changes.names };
  const code = { ...llamaDecoderCode, ...changes.decoder };
  return (forward) => causalDecoderLoss(forward, block, names, code);
}

/** A family whose attention no kernel of PyTorch's can do. */
export const eagerOnly =
  (family: FamilyForward): FamilyForward =>
  (forward) =>
    family({ ...forward, attention: 'eager' });

/** A mask for full attention is always made, one for windows where layers have them. */
export const fullMask: Changes = { decoder: { masks: 'and-full' } };

/** Both masks are always made. */
export const bothMasks: Changes = { decoder: { masks: 'and-both' } };

export const qwenExperts: ExpertsCode = { ...mixtralExpertsCode, route: qwenRouter };

export const gemmaNorms = { beforeMlp: 'pre_feedforward_layernorm' };

export const hunyuanAttention = {
  queryNorm: 'query_layernorm',
  keyNorm: 'key_layernorm',
  norms: 'rotated',
} as const;

export const glmRotation = { form: 'neighbours', parts: 'inside' } as const;
