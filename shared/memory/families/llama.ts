/**
 * llama and the families that share its block, each as what its code does otherwise: names, norms, rotation, masks. Sizes,
 * biases, windows and the placement of norms come from the Architecture.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/llama/modeling_llama.py
 */
import type { FamilyForward } from './context';
import {
  causalDecoderLoss,
  type DecoderCode,
  type DecoderNames,
  llamaDecoderCode,
  llamaNames,
} from './parts/causalDecoder';
import { type BlockCode, decoderBlock, llamaBlockCode } from './parts/decoderBlock';
import { deepseekExpertsCode, type ExpertsCode, mixtralExpertsCode } from './parts/experts';
import {
  cohereRouter,
  deepseekV2Router,
  ernieRouter,
  gptOssRouter,
  graniteRouter,
  hunyuanRouter,
  minimaxRouter,
  nearestRouter,
  qwenRouter,
} from './parts/routers';
import { sparseMixerRouter } from './parts/sparseMixer';
import { latentAttention } from './parts/latentAttention';
import { type AttentionCode, decoderAttention, llamaAttentionCode } from './parts/decoderAttention';

/** What a family changes of llama's code. */
interface Changes {
  readonly names?: Partial<DecoderNames>;
  readonly decoder?: Partial<DecoderCode>;
  readonly block?: Partial<Omit<BlockCode, 'norms' | 'attend'>>;
  readonly norms?: Partial<BlockCode['norms']>;
  readonly attention?: Partial<AttentionCode>;
}

function like(changes: Changes): FamilyForward {
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
const eagerOnly =
  (family: FamilyForward): FamilyForward =>
  (forward) =>
    family({ ...forward, attention: 'eager' });

/** A mask for full attention is always made, one for windows where layers have them. */
const fullMask: Changes = { decoder: { masks: 'and-full' } };
/** Both masks are always made. */
const bothMasks: Changes = { decoder: { masks: 'and-both' } };

const qwenExperts: ExpertsCode = { ...mixtralExpertsCode, route: qwenRouter };

/** Of unknown decoders that are read as llama's block: the most usual kind of experts, with an MLP behind them where there is one. */
const nearestExperts: ExpertsCode = { ...deepseekExpertsCode, route: nearestRouter };

const gemmaNorms = { beforeMlp: 'pre_feedforward_layernorm' };
const hunyuanAttention = {
  queryNorm: 'query_layernorm',
  keyNorm: 'key_layernorm',
  norms: 'rotated',
} as const;
const glmRotation = { form: 'neighbours', parts: 'inside' } as const;

/** The forward of each family, under the name that `shared/model` gives it. */
export const llamaLike: Readonly<Record<string, FamilyForward>> = {
  llama: like({ block: { experts: nearestExperts } }),
  mistral: like({}),
  qwen2: like(fullMask),
  qwen3: like(fullMask),
  ministral: like(bothMasks),
  gemma: like({}),
  mixtral: like({}),
  qwen3_moe: like({ ...fullMask, block: { experts: qwenExperts } }),
  qwen2_moe: like({ decoder: { masks: 'and-empty-window' }, block: { experts: qwenExperts } }),
  olmoe: like({ block: { experts: qwenExperts }, attention: { views: 'after-projections' } }),
  glm4_moe: like({ block: { experts: deepseekExpertsCode }, attention: { norms: 'positions-first' } }),
  dots1: like({ ...fullMask, block: { experts: deepseekExpertsCode } }),
  exaone_moe: like({
    ...fullMask,
    block: { experts: deepseekExpertsCode },
    attention: { norms: 'heads-first' },
  }),
  minimax_m2: like({
    block: { experts: { ...mixtralExpertsCode, route: minimaxRouter } },
    attention: { views: 'after-projections' },
  }),
  ernie4_5_moe: like({
    block: {
      experts: {
        ...mixtralExpertsCode,
        route: ernieRouter,
        shared: { module: 'shared_experts', order: 'before' },
      },
    },
    attention: { rotary: glmRotation },
  }),
  hunyuan_v1_moe: like({
    block: {
      experts: {
        ...mixtralExpertsCode,
        route: hunyuanRouter,
        shared: { module: 'shared_mlp', order: 'before' },
        rows: 'after-router',
      },
    },
    attention: hunyuanAttention,
  }),
  helium: like({ attention: { rotary: glmRotation } }),
  latent_dense: like({}),
  phimoe: like({
    decoder: { tables: 'anew' },
    block: { experts: { ...mixtralExpertsCode, gate: 'router', route: sparseMixerRouter } },
  }),
  gpt_oss: eagerOnly(
    like({
      decoder: { masks: 'and-both', tables: 'single' },
      attention: { rotary: { form: 'crossed-halves', parts: 'inside' } },
      block: {
        experts: {
          ...mixtralExpertsCode,
          gate: 'router',
          route: gptOssRouter,
          activate: 'clamped-pairs',
          returnsWeights: true,
        },
      },
    }),
  ),
  granite_moe: like({
    decoder: { embeddingScale: 'after-masks' },
    block: {
      scalesBranches: true,
      experts: {
        ...mixtralExpertsCode,
        module: 'block_sparse_moe',
        gate: 'router',
        route: graniteRouter,
        shared: { module: 'shared_mlp', order: 'beside' },
      },
    },
  }),
  deepseek_v3: like({ block: { experts: deepseekExpertsCode } }),
  deepseek_v2: like({
    decoder: { tables: 'complex' },
    block: {
      experts: { ...deepseekExpertsCode, route: deepseekV2Router },
      attendLatent: latentAttention('complex'),
    },
  }),
  gemma2: like({ ...bothMasks, norms: gemmaNorms }),
  gemma3: like({
    decoder: { masks: 'and-both', tablesFor: 'each-kind' },
    norms: gemmaNorms,
    attention: { norms: 'heads-first' },
  }),
  vaultgemma: like({ ...bothMasks, norms: gemmaNorms }),
  granite: like({ decoder: { embeddingScale: 'after' }, block: { scalesBranches: true } }),
  smollm3: like(fullMask),
  exaone4: like({ ...fullMask, attention: { norms: 'heads-first' } }),
  olmo: like({
    decoder: { tables: 'fp32' },
    attention: { views: 'after-projections', rotary: { form: 'wide-tables', parts: 'inside' } },
  }),
  olmo2: like({
    decoder: { tables: 'fp32', masks: 'as-used' },
    attention: { views: 'after-projections', rotary: { form: 'wide-tables', parts: 'inside' } },
  }),
  apertus: like({
    norms: { beforeAttention: 'attention_layernorm', beforeMlp: 'feedforward_layernorm' },
    attention: { norms: 'heads-first' },
  }),
  cohere: like({
    block: { experts: { ...deepseekExpertsCode, route: cohereRouter, rows: 'before-router' } },
    attention: { norms: 'positions-first', rotary: { form: 'wide-neighbours', parts: 'inside' } },
  }),
  cohere2: like({
    ...bothMasks,
    attention: { rotary: { form: 'wide-neighbours', parts: 'inside' } },
  }),
  starcoder2: like({ block: { mlp: { up: 'c_fc', down: 'c_proj' } } }),
  stablelm: like({
    block: { namesBranches: true, dropout: 'mlp' },
    attention: {
      queryNorm: 'q_layernorm',
      keyNorm: 'k_layernorm',
      norms: 'heads-first',
      views: 'after-projections',
      rotary: { form: 'halves', parts: 'outside' },
    },
  }),
  nemotron: like({ attention: { rotary: { form: 'halves', parts: 'returned' } } }),
  glm: like({ attention: { rotary: glmRotation } }),
  glm4: like({
    attention: { rotary: glmRotation },
    norms: { afterAttention: 'post_self_attn_layernorm', afterMlp: 'post_mlp_layernorm' },
  }),
  arcee: like({}),
  jais2: like({}),
  seed_oss: like({}),
  ernie4_5: like({ attention: { rotary: glmRotation } }),
  hunyuan_v1_dense: like({ attention: hunyuanAttention }),
  phi: like({
    names: { norm: 'final_layernorm' },
    block: { sum: 'branches-first', mlp: { up: 'fc1', down: 'fc2' } },
    attention: {
      output: 'dense',
      queryNorm: 'q_layernorm',
      keyNorm: 'k_layernorm',
      norms: 'heads-first',
      rotary: { form: 'halves', parts: 'outside' },
    },
  }),
  phi3: like({ attention: { rotary: { form: 'halves', parts: 'nested' } } }),
  internlm: like({}),
  orion: like({}),
};
