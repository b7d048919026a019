/**
 * Mixture-of-experts layers as transformers 5 runs them: a router chooses, tokens are sorted by expert, grouped products run over
 * stacked weights. How many tokens each expert gets does not change the memory.
 * https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/integrations/moe.py
 */
import type { MixtureOfExperts, Mlp } from '../../../model/architecture';
import { act } from '../../operations/activations';
import { activationKeepingOutput, add, cast, multiply } from '../../operations/elementwise';
import {
  divideBySum,
  gatherRows,
  groupedProduct,
  maskedFill,
  maskedFillInPlace,
  sortKeys,
  sumChosen,
  topK,
} from '../../operations/experts';
import { reshape, split, view } from '../../operations/layout';
import { linear, matrixProduct } from '../../operations/linear';
import { withAdaptedParameters } from '../../operations/parameterAdapters';
import { softmax } from '../../operations/softmax';
import type { Module } from '../../tape/module';
import { hold, last, release } from '../../tape/tape';
import { BOOL, FP32, INT64, type Tensor } from '../../tape/tensor';
import { decoderMlp } from './mlp';

const INT32 = 4;

/** How a family's router and block differ. */
export interface ExpertsCode {
  /** The chosen weights are divided by their sum. */
  readonly normalises: boolean;
  /** The logits are cast before the softmax, and not by it. */
  readonly castsLogits: boolean;
  /** The chosen weights go back to the logits' type. */
  readonly castsBack: boolean;
}

/** A sparse block over x [batch, positions, hidden]. */
export function expertsBlock(module: Module, facts: MixtureOfExperts, x: Tensor, code: ExpertsCode): Tensor {
  const { tape } = module;
  const [batch = 1, positions = 1, size = 1] = x.shape;
  return tape.call(module.place, [x], () => {
    const tokens = hold(view(x, [batch * positions, size]));
    const { shared } = facts;
    const beside = shared?.gate === true ? hold(besideExperts(module, shared.mlp, tokens)) : null;
    const gate = module.child('gate');
    const [logits, weights, indices] = withAdaptedParameters(gate, () => route(gate, facts, tokens, code));
    for (const result of [logits, weights, indices]) hold(result);
    const experts = module.child('experts');
    const output = hold(withAdaptedParameters(experts, () => runExperts(experts, facts, tokens, weights)));
    if (beside === null) return view(output, x.shape);
    const weighted = hold(
      multiply(activationKeepingOutput(linear(module.child('shared_expert_gate'), tokens)), last(beside)),
    );
    return view(add(last(output), weighted), x.shape);
  });
}

/** The MLP that every token passes (Qwen2-MoE). */
function besideExperts(module: Module, mlp: Mlp, tokens: Tensor): Tensor {
  return decoderMlp(module.child('shared_expert'), mlp, tokens);
}

/** Logits, softmax in fp32, the k best and their weights. */
function route(
  gate: Module,
  facts: MixtureOfExperts,
  tokens: Tensor,
  code: ExpertsCode,
): [Tensor, Tensor, Tensor] {
  const { tape } = gate;
  return tape.call(gate.place, [], () => {
    const rows = hold(reshape(tokens, tokens.shape));
    const logits = hold(matrixProduct(gate, rows));
    const probabilities = hold(code.castsLogits ? softmax(cast(logits, FP32)) : softmax(logits, 'fp32'));
    const { values, indices } = topK(probabilities, facts.expertsPerToken);
    hold(indices);
    let weights = hold(values);
    if (code.normalises) weights = hold(divideBySum(last(weights)));
    if (code.castsBack) weights = hold(cast(last(weights), logits.elementBytes));
    return [logits, weights, indices];
  });
}

function runExperts(experts: Module, facts: MixtureOfExperts, tokens: Tensor, weights: Tensor): Tensor {
  const { tape } = experts;
  const [tokenCount = 1] = tokens.shape;
  const count = tokenCount * facts.expertsPerToken;
  return tape.call(experts.place, [], () => {
    const { values, indices: order } = sortKeys(tape, count);
    hold(values);
    hold(order);
    const rows = tape.create([count], INT64);
    const gathered = hold(gatherRows(tokens, rows, count));
    release(rows);
    const sortedWeights = hold(gatherRows(view(weights, [count, 1]), order, count));
    const offsets = expertOffsets(experts, facts.experts, count);
    const mask = hold(tape.create([count], BOOL));
    const masked = hold(maskedFillInPlace(gathered, mask));
    let inner = hold(groupedLinear(experts, 'up', facts, masked, offsets));
    inner = hold(maskedFill(last(inner), mask));
    inner = hold(facts.gated ? gated(facts, last(inner)) : act(facts.activation, last(inner)));
    let output = hold(groupedLinear(experts, 'down', facts, last(inner), offsets));
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

function groupedLinear(
  experts: Module,
  which: 'up' | 'down',
  facts: MixtureOfExperts,
  x: Tensor,
  offsets: Tensor,
): Tensor {
  const { tape } = experts;
  const name = which === 'down' ? 'down_proj' : facts.gated ? 'gate_up_proj' : 'up_proj';
  const weight = experts.parameter(name);
  const outer = which === 'down' ? hiddenSize(weight, facts) : facts.expertWidth * (facts.gated ? 2 : 1);
  // The products are not under autocast: what is narrower than the weights is cast to them.
  return tape.frame([x], () => groupedProduct(cast(x, weight.elementBytes), weight, offsets, outer));
}

/** The side of the down projection that is not the experts' width. */
function hiddenSize(weight: Tensor, { expertWidth }: MixtureOfExperts): number {
  const [, first = 1, second = 1] = weight.shape;
  return first === expertWidth ? second : first;
}

/** `act(gate) * up` on the halves of the joined projection. */
function gated(facts: MixtureOfExperts, joined: Tensor): Tensor {
  const { tape } = joined;
  return tape.frame([joined], () => {
    const [gate, up] = split(joined, [facts.expertWidth, facts.expertWidth]);
    if (gate === undefined || up === undefined) throw new Error('Two halves.');
    hold(up);
    return multiply(act(facts.activation, hold(gate)), up);
  });
}
