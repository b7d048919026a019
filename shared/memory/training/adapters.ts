/** peft's low-rank adapters (LoRA). */
import type { Module } from '../tape/module';
import type { Tape } from '../tape/tape';
import type { Parameter, Shape } from '../tape/tensor';
import type { AdapterPlan } from './adapterPlan';

/** What all adapters of a run have in common. */
export interface AdapterSettings {
  readonly dropout: number;
  /** Alpha differs from the rank. */
  readonly isScaled: boolean;
  /** Element size of the adapters: 4 by peft's default, whatever the base is. */
  readonly elementBytes: number;
}

/**
 * Puts adapter pairs around every targeted layer and parameter and returns the adapters' parameters in the model's order. peft makes
 * them in the base's type first, layers before parameters, and casts all of them at the end, in the model's order.
 * https://github.com/huggingface/peft/blob/v0.20.0/src/peft/tuners/tuners_utils.py
 */
export function installAdapters(
  tape: Tape,
  root: Module,
  plans: readonly AdapterPlan[],
  settings: AdapterSettings,
): readonly Parameter[] {
  const order = modulesInOrder(root);
  const wrapped = plans.map(({ modulePath, parameter, experts, down, up }) => {
    const module = root.at(modulePath);
    const base = module.quantized?.computeBytes ?? module.parameter(parameter ?? 'weight').elementBytes;
    const name = parameter === null ? modulePath : `${modulePath}.${parameter}`;
    const make = (suffix: string, shape: Shape): Parameter =>
      tape.createParameter(`${name}.${suffix}`, shape, base, true);
    return { module, parameter, experts, down: make('lora_A', down), up: make('lora_B', up) };
  });
  wrapped.sort((a, b) => (order.get(a.module) ?? 0) - (order.get(b.module) ?? 0));
  return wrapped.flatMap(({ module, parameter, experts, ...pair }) => {
    const down = recast(tape, pair.down, settings.elementBytes);
    const up = recast(tape, pair.up, settings.elementBytes);
    if (parameter === null) module.adapter = { down, up, dropout: settings.dropout };
    else module.parameterAdapters.set(parameter, { down, up, experts, isScaled: settings.isScaled });
    return [down, up];
  });
}

function modulesInOrder(root: Module): ReadonlyMap<Module, number> {
  const order = new Map<Module, number>();
  const visit = (module: Module): void => {
    order.set(module, order.size);
    module.children.forEach(visit);
  };
  visit(root);
  return order;
}

/** `param.data = param.data.to(dtype)`. */
function recast(tape: Tape, parameter: Parameter, elementBytes: number): Parameter {
  if (parameter.elementBytes === elementBytes) return parameter;
  const wide = tape.createParameter(parameter.name, parameter.shape, elementBytes, true);
  tape.release(parameter);
  return wide;
}
