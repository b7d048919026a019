/** The feed-forward parts of decoders. */
import { act } from '../../../memory/operations/activations';
import { multiply } from '../../../memory/operations/elementwise';
import { split } from '../../../memory/operations/layout';
import { linear } from '../../../memory/operations/linear';
import type { Module } from '../../../memory/tape/module';
import { hold, holdAll, last, release } from '../../../memory/tape/tape';
import type { Tensor } from '../../../memory/tape/tensor';
import type { Mlp } from '../../../model/architecture';

/** Names of a plain MLP's two products. */
export interface MlpCode {
  readonly up: string;
  readonly down: string;
}

/** llama's own names. */
export const llamaMlpCode: MlpCode = { up: 'up_proj', down: 'down_proj' };

/**
 * The MLP that the facts describe, over x [batch, positions, hidden]. Backward keeps x once for each product, what the activation needs, both
 * factors of a gated MLP, and the last product's input.
 */
export function decoderMlp(module: Module, mlp: Mlp, x: Tensor, code: MlpCode = llamaMlpCode): Tensor {
  if (!mlp.gated) return plainMlp(module, mlp, x, code);
  return mlp.fused ? fusedGatedMlp(module, mlp, x) : gatedMlp(module, mlp, x);
}

/**
 * `down_proj(act(gate_proj(x)) * up_proj(x))`.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/llama/modeling_llama.py#L163
 */
function gatedMlp(module: Module, mlp: Mlp, x: Tensor): Tensor {
  return module.tape.call(module.place, [x], () => {
    const gate = act(mlp.activation, linear(module.child('gate_proj'), x));
    return linear(module.child('down_proj'), multiply(gate, linear(module.child('up_proj'), x)));
  });
}

/**
 * Gate and up projection in one product, whose halves keep their names (`gate_up_proj`).
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/phi3/modeling_phi3.py#L49
 */
function fusedGatedMlp(module: Module, mlp: Mlp, x: Tensor): Tensor {
  return module.tape.call(module.place, [x], () => {
    const joined = linear(module.child('gate_up_proj'), x);
    const [gate, up] = split(joined, [mlp.width, mlp.width]);
    holdAll([gate, up]);
    const inner = hold(multiply(last(up), act(mlp.activation, gate)));
    return linear(module.child('down_proj'), inner);
  });
}

/**
 * Granite's: one product under one name, whose halves are named only as a pair (`input_linear`, `output_linear`).
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/granitemoehybrid/modeling_granitemoehybrid.py#L729
 */
export function halvedMlp(module: Module, mlp: Mlp, x: Tensor): Tensor {
  return module.tape.call(module.place, [x], () => {
    const joined = hold(linear(module.child('input_linear'), x));
    const [gate, up] = split(joined, [mlp.width, mlp.width]);
    holdAll([gate, up]);
    const inner = hold(multiply(act(mlp.activation, gate), up));
    release(joined);
    return linear(module.child('output_linear'), last(inner));
  });
}

/** `down(act(up(x)))`. */
function plainMlp(module: Module, mlp: Mlp, x: Tensor, code: MlpCode): Tensor {
  return module.tape.call(module.place, [x], () => {
    const inner = hold(act(mlp.activation, linear(module.child(code.up), x)));
    return linear(module.child(code.down), last(inner));
  });
}
