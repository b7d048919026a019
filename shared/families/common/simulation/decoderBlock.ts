/** The decoder block of llama and its relatives, by the placement of its norms. */
import { add, dropout, scale } from '../../../memory/operations/elementwise';
import { normalize } from '../../../memory/operations/norms';
import { MissingPart } from '../../../memory/tape/module';
import { hold, release } from '../../../memory/tape/tape';
import type { Tensor } from '../../../memory/tape/tensor';
import type { BlockContext, DecoderBlock } from './causalDecoder';
import { type AttentionForward, decoderAttention, llamaAttentionCode } from './decoderAttention';
import { type ExpertsCode, expertsBlock, mixtralExpertsCode } from './experts';
import { type LatentForward, latentAttention } from './latentAttention';
import { type MlpCode, decoderMlp, halvedMlp, llamaMlpCode } from './mlp';

/** Where a family's code differs from llama's. */
export interface BlockCode {
  /** Attention's module and its forward. */
  readonly attention: string;
  readonly attend: AttentionForward;
  readonly attendLatent: LatentForward;
  readonly mlp: MlpCode;
  readonly experts: ExpertsCode;
  /** Names of the block's norms; those that a placement does not use are not looked at. */
  readonly norms: {
    readonly beforeAttention: string;
    readonly afterAttention: string;
    readonly beforeMlp: string;
    readonly afterMlp: string;
  };
  /** What attention gets and gives has names of its own, which stay until the block ends (StableLM). */
  readonly namesBranches: boolean;
  /** How parallel branches are added: to the input one after the other, or first to each other. */
  readonly sum: 'input-first' | 'branches-first';
  /** Which branches end in dropout. */
  readonly dropout: 'both' | 'mlp';
  /** Each branch is multiplied by a constant before it is added (Granite). */
  readonly scalesBranches: boolean;
}

/**
 * What llama's code does.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/llama/modeling_llama.py#L284
 */
export const llamaBlockCode: BlockCode = {
  attention: 'self_attn',
  attend: decoderAttention(llamaAttentionCode),
  attendLatent: latentAttention('as-asked'),
  mlp: llamaMlpCode,
  experts: mixtralExpertsCode,
  norms: {
    beforeAttention: 'input_layernorm',
    afterAttention: 'post_attention_layernorm',
    beforeMlp: 'post_attention_layernorm',
    afterMlp: 'post_feedforward_layernorm',
  },
  namesBranches: false,
  sum: 'input-first',
  dropout: 'both',
  scalesBranches: false,
};

/**
 * A block over x [batch, positions, hidden] whose order is the layer's placement and whose names are the code's. Backward keeps the input
 * of each norm and what attention and MLP keep; sums keep nothing.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/llama/modeling_llama.py#L284
 */
export function decoderBlock(code: BlockCode): DecoderBlock {
  return (context, x) => {
    const { block, layer, stack } = context;
    const { norms } = code;
    const normed = (name: string, input: Tensor): Tensor => normalize(block.child(name), input, layer.norm);
    const dropped = (branch: Tensor, applies: boolean): Tensor =>
      applies ? dropout(branch, stack.dropout.residual) : branch;
    const scaled = (branch: Tensor): Tensor => (code.scalesBranches ? scale(branch) : branch);
    // A branch that is scaled keeps its name until the sum is made.
    const added = (input: Tensor, branch: Tensor): Tensor => {
      if (!code.scalesBranches) return add(input, branch);
      const sum = add(input, scale(hold(branch)));
      release(branch);
      return sum;
    };
    // `hidden_states, _ = …`: what both branches return beside their output has one name.
    let thrownAway: Tensor | null = null;
    const throwAway = (beside: Tensor): void => {
      hold(beside);
      if (thrownAway !== null) release(thrownAway);
      thrownAway = beside;
    };
    const attend = (input: Tensor): Tensor => attentionBranch(context, input, code, throwAway);
    const feed = (input: Tensor): Tensor => mlpBranch(context, input, code, throwAway);
    switch (layer.placement) {
      case 'pre': {
        const input = normed(norms.beforeAttention, x);
        const given = code.namesBranches ? hold(input) : input;
        const attended = hold(dropped(attend(given), code.dropout === 'both'));
        const middle = hold(add(x, scaled(attended)));
        if (!code.namesBranches) release(attended);
        const fed = hold(dropped(feed(normed(norms.beforeMlp, middle)), true));
        return add(middle, scaled(fed));
      }
      case 'sandwich': {
        const attended = attend(normed(norms.beforeAttention, x));
        const middle = hold(added(x, normed(norms.afterAttention, attended)));
        return added(middle, normed(norms.afterMlp, feed(normed(norms.beforeMlp, middle))));
      }
      case 'branch': {
        const middle = hold(add(x, normed(norms.afterAttention, attend(x))));
        return add(middle, normed(norms.afterMlp, feed(middle)));
      }
      case 'post': {
        const middle = hold(normed(norms.afterAttention, add(x, attend(x))));
        return normed(norms.afterMlp, add(middle, feed(middle)));
      }
      case 'parallel': {
        const one = layer.norms === 1 ? hold(normed(norms.beforeAttention, x)) : null;
        const forAttention = one ?? normed(norms.beforeAttention, x);
        const attended = hold(dropped(attend(forAttention), code.dropout === 'both'));
        const fed = hold(dropped(feed(one ?? normed(norms.beforeMlp, x)), true));
        return code.sum === 'input-first' ? add(add(x, attended), fed) : add(add(fed, attended), x);
      }
    }
  };
}

function attentionBranch(
  context: BlockContext,
  x: Tensor,
  code: BlockCode,
  throwAway: (beside: Tensor) => void,
): Tensor {
  const { mixer, norm } = context.layer;
  if (mixer.kind === 'latent')
    return code.attendLatent(context, context.block.child(code.attention), mixer, norm, x);
  if (mixer.kind !== 'attention') throw new MissingPart('The layer has no softmax attention.');
  const [output, ...weights] = code.attend(context, context.block.child(code.attention), mixer, x);
  for (const beside of weights) throwAway(beside);
  return output;
}

function mlpBranch(
  { block, layer }: BlockContext,
  x: Tensor,
  code: BlockCode,
  throwAway: (beside: Tensor) => void,
): Tensor {
  const { feedForward } = layer;
  if (feedForward.kind === 'experts') {
    const { shared } = feedForward;
    if (shared === null || code.experts.shared.order !== 'beside') {
      const [output, ...weights] = expertsBlock(block, feedForward, x, code.experts);
      for (const beside of weights) throwAway(beside);
      return output;
    }
    const input = hold(x);
    const routed = hold(expertsBlock(block, feedForward, input, code.experts)[0]);
    const sum = add(routed, halvedMlp(block.child(code.experts.shared.module), shared.mlp, input));
    release(input);
    return sum;
  }
  if (feedForward.kind !== 'mlp') throw new MissingPart('The layer has no MLP that is modelled.');
  return decoderMlp(block.child('mlp'), feedForward, x, code.mlp);
}
