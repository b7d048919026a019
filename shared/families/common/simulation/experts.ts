/**
 * Mixture-of-experts layers as transformers 5 runs them: a router chooses, tokens are sorted by expert, grouped products run over
 * stacked weights. How many tokens each expert gets does not change the memory.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/integrations/moe.py#L377
 */
import { act } from '../../../memory/operations/activations';
import {
  activationKeepingOutput,
  add,
  addConstant,
  addInPlace,
  cast,
  clamp,
  maskedFill,
  maskedFillInPlace,
  multiply,
  scale,
} from '../../../memory/operations/elementwise';
import { gatherRows, groupedProduct, sortKeys, sumChosen } from '../../../memory/operations/experts';
import { reshape, slice, split, view } from '../../../memory/operations/layout';
import { linear } from '../../../memory/operations/linear';
import { withAdaptedParameters } from '../../../memory/operations/parameterAdapters';
import type { Module } from '../../../memory/tape/module';
import { hold, holdAll, last, release } from '../../../memory/tape/tape';
import { BOOL, INT32, INT64, type Tensor, width } from '../../../memory/tape/tensor';
import type { MixtureOfExperts, Mlp } from '../../../model/architecture';
import { expertsPerTokenOf } from './expected';
import { decoderMlp } from './mlp';
import { type Router, deepseekV3Router, mixtralRouter } from './routers';

/** How a family's sparse block differs. */
export interface ExpertsCode {
  /** The block's module and its router's. */
  readonly module: string;
  readonly gate: string;
  readonly route: Router;
  /**
   * The MLP that every token passes: before the experts, and where it has one weighted by a gate of its own (Qwen2-MoE); after them;
   * or after them in the layer itself (Granite).
   */
  readonly shared: { readonly module: string; readonly order: 'before' | 'after' | 'beside' };
  /** How the two halves of the up projection become one: `act(gate) * up`, or gpt-oss' clamped pairs. */
  readonly activate: 'halves' | 'clamped-pairs';
  /** The block returns the chosen experts' weights beside its output (gpt-oss). */
  readonly returnsWeights: boolean;
  /** Whether the block looks at its input as rows of tokens before the router does or behind it. */
  readonly rows: 'before-router' | 'after-router';
}

/**
 * What Mixtral's code does.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/mixtral/modeling_mixtral.py#L114
 */
export const mixtralExpertsCode: ExpertsCode = {
  module: 'mlp',
  gate: 'gate',
  route: mixtralRouter,
  shared: { module: 'shared_expert', order: 'before' },
  activate: 'halves',
  returnsWeights: false,
  rows: 'before-router',
};

/**
 * What DeepSeek V3's code does.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/deepseek_v3/modeling_deepseek_v3.py#L212
 */
export const deepseekExpertsCode: ExpertsCode = {
  module: 'mlp',
  gate: 'gate',
  route: deepseekV3Router,
  shared: { module: 'shared_experts', order: 'after' },
  activate: 'halves',
  returnsWeights: false,
  rows: 'after-router',
};

/**
 * A sparse block over x [batch, positions, hidden]: its output of that shape, and where its code returns them the experts' weights
 * [tokens, k]. Backward keeps, for every token and expert that it goes to, the sorted row, the up projection, its activation and the
 * weighted output.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/mixtral/modeling_mixtral.py#L114
 */
export function expertsBlock(
  block: Module,
  facts: MixtureOfExperts,
  x: Tensor,
  code: ExpertsCode,
): ExpertsOutputs {
  const module = block.child(code.module);
  const { tape } = module;
  const [batch = 1, positions = 1, size = 1] = x.shape;
  return tape.call(module.place, [x], (): ExpertsOutputs => {
    const rowsFirst = code.rows === 'before-router';
    const rows = [batch * positions, size];
    const given = rowsFirst ? hold(view(x, rows)) : x;
    const shared = code.shared.order === 'beside' ? null : (facts.shared?.mlp ?? null);
    const before =
      shared !== null && code.shared.order === 'before' ? hold(sharedMlp(module, code, shared, given)) : null;
    const gate = module.child(code.gate);
    const [, weights] = holdAll(withAdaptedParameters(gate, () => code.route(gate, facts, given)));
    const tokens = rowsFirst ? given : hold(reshape(x, rows));
    const experts = module.child('experts');
    const routed = hold(
      withAdaptedParameters(experts, () => runExperts(experts, facts, tokens, weights, code.activate)),
    );
    if (before !== null) {
      const isGated = facts.shared?.gate === true;
      const beside = isGated ? hold(gatedByOwn(module, tokens, before)) : before;
      return [view(add(last(routed), beside), x.shape)];
    }
    if (shared !== null) {
      const shaped = hold(view(last(routed), x.shape));
      return [add(last(shaped), sharedMlp(module, code, shared, x))];
    }
    const output = view(routed, x.shape);
    return code.returnsWeights ? [output, weights] : [output];
  });
}

/** The block's output [batch, positions, hidden], and the weights [tokens, k] where the code returns them. */
type ExpertsOutputs = readonly [output: Tensor, ...weights: Tensor[]];

/**
 * What the shared MLP gave, which the caller has named, times the sigmoid of one number a token.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/qwen2_moe/modeling_qwen2_moe.py#L339
 */
function gatedByOwn(module: Module, tokens: Tensor, shared: Tensor): Tensor {
  const gate = activationKeepingOutput(linear(module.child('shared_expert_gate'), tokens));
  return multiply(gate, last(shared));
}

/** The MLP that every token passes. */
const sharedMlp = (module: Module, code: ExpertsCode, mlp: Mlp, x: Tensor): Tensor =>
  decoderMlp(module.child(code.shared.module), mlp, x);

function runExperts(
  experts: Module,
  facts: MixtureOfExperts,
  tokens: Tensor,
  weights: Tensor,
  activate: ExpertsCode['activate'],
): Tensor {
  const { tape } = experts;
  const [tokenCount = 1] = tokens.shape;
  const count = tokenCount * expertsPerTokenOf(facts);
  return tape.call(experts.place, [], () => {
    const { values, indices: order } = sortKeys(tape, count);
    const ids = hold(values);
    hold(order);
    const rows = tape.create([count], INT64);
    const gathered = hold(gatherRows(tokens, rows, count));
    release(rows);
    const sortedWeights = hold(gatherRows(view(weights, [count, 1]), order, count));
    const offsets = expertOffsets(experts, facts.experts, count);
    const mask = hold(tape.create([count], BOOL));
    const upName = facts.gated ? 'gate_up_proj' : 'up_proj';
    const biasOf = (name: string): Tensor | null =>
      facts.bias ? hold(gatherRows(experts.parameter(`${name}_bias`), ids, count)) : null;
    const up = experts.parameter(upName);
    const upBias = biasOf(upName);
    const masked = hold(maskedFillInPlace(gathered, mask));
    let inner = hold(groupedLinear(up, masked, offsets, facts.expertWidth * (facts.gated ? 2 : 1), upBias));
    inner = hold(maskedFill(last(inner), mask));
    if (!facts.gated) inner = hold(act(facts.activation, last(inner)));
    else inner = hold(activate === 'halves' ? gated(facts, last(inner)) : clampedPairs(facts, last(inner)));
    const down = experts.parameter('down_proj');
    const downBias = biasOf('down_proj');
    if (upBias !== null) release(upBias);
    let output = hold(groupedLinear(down, last(inner), offsets, width(tokens.shape), downBias));
    output = hold(maskedFill(last(output), mask));
    let weighted = hold(multiply(output, sortedWeights));
    const inverse = hold(tape.create([count], INT64));
    tape.scratch(count * INT64);
    weighted = hold(gatherRows(last(weighted), inverse, count));
    return cast(hold(sumChosen(weighted, tokenCount)), tokens.elementBytes);
  });
}

/** Tokens of each expert by a histogram of the sorted ids, and their running sum. */
function expertOffsets({ tape }: Module, experts: number, count: number): Tensor {
  hold(tape.create([count], INT32));
  hold(tape.create([experts], INT32));
  const offsets = hold(tape.create([experts], INT32));
  tape.scratch(SCAN_BYTES);
  return offsets;
}

/** Temporary storage of a scan over few elements. */
const SCAN_BYTES = 1023;

/** The products are not under autocast: what is narrower or wider than the weights is cast to them. */
const groupedLinear = (
  weight: Tensor,
  x: Tensor,
  offsets: Tensor,
  outer: number,
  bias: Tensor | null,
): Tensor =>
  x.tape.frame([x], () => {
    const product = groupedProduct(cast(x, weight.elementBytes), weight, offsets, outer);
    return bias === null ? product : addInPlace(product, bias);
  });

/** `act(gate) * up` on the halves of the joined projection. */
function gated(facts: MixtureOfExperts, joined: Tensor): Tensor {
  const { tape } = joined;
  return tape.frame([joined], () => {
    const [gate, up] = split(joined, [facts.expertWidth, facts.expertWidth]);
    hold(up);
    return multiply(act(facts.activation, hold(gate)), up);
  });
}

/** gpt-oss: gates and ups are neighbours; both are clamped, and `(up + 1) * gate * sigmoid(alpha * gate)`. */
function clampedPairs({ expertWidth }: MixtureOfExperts, joined: Tensor): Tensor {
  const { tape } = joined;
  return tape.frame([joined], () => {
    let gate = hold(slice(joined, expertWidth));
    let up = hold(slice(joined, expertWidth));
    gate = hold(clamp(last(gate), 1));
    up = hold(clamp(last(up), 2));
    const activated = hold(multiply(gate, activationKeepingOutput(scale(gate))));
    return multiply(addConstant(up), activated);
  });
}
