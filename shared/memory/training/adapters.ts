/** peft's low-rank adapters (LoRA). */
import type { Module } from '../tape/module';
import type { Tape } from '../tape/tape';
import type { Parameter, Shape } from '../tape/tensor';
import type { AdapterPlan } from './adapterPlan';

export interface AdapterSettings {
  readonly dropout: number;
  /** Element size of the adapters: 4 by peft's default, whatever the base is. */
  readonly elementBytes: number;
}

/**
 * Wraps every targeted linear layer in an adapter pair and returns the adapters' parameters in the model's order. peft
 * makes them in the base's type first and casts all of them at the end.
 * https://github.com/huggingface/peft/blob/v0.18.0/src/peft/tuners/tuners_utils.py
 */
export function installAdapters(
  tape: Tape,
  root: Module,
  plans: readonly AdapterPlan[],
  settings: AdapterSettings,
): readonly Parameter[] {
  const wrapped = plans.map(({ modulePath, down, up }) => {
    const module = root.at(modulePath);
    const base = module.quantized?.computeBytes ?? module.parameter('weight').elementBytes;
    const make = (suffix: string, shape: Shape): Parameter =>
      tape.createParameter(`${modulePath}.${suffix}`, shape, base, true);
    return { module, down: make('lora_A', down), up: make('lora_B', up) };
  });
  return wrapped.flatMap(({ module, down, up }) => {
    const adapter = {
      down: recast(tape, down, settings.elementBytes),
      up: recast(tape, up, settings.elementBytes),
      dropout: settings.dropout,
    };
    module.adapter = adapter;
    return [adapter.down, adapter.up];
  });
}

/** `param.data = param.data.to(dtype)`. */
function recast(tape: Tape, parameter: Parameter, elementBytes: number): Parameter {
  if (parameter.elementBytes === elementBytes) return parameter;
  const wide = tape.createParameter(parameter.name, parameter.shape, elementBytes, true);
  tape.release(parameter);
  return wide;
}
