/** peft's low-rank adapters (LoRA). */
import type { Module } from '../tape/module';
import type { Tape } from '../tape/tape';
import type { Parameter, Shape } from '../tape/tensor';

export interface AdapterSettings {
  readonly rank: number;
  /** Names of modules (`q_proj`) or endings of their paths, or all linear layers but the output layer. */
  readonly targets: readonly string[] | 'all-linear';
  readonly dropout: number;
  /** Element size of the adapters: 4 by peft's default, whatever the base is. */
  readonly elementBytes: number;
}

/**
 * Wraps every targeted linear layer in an adapter pair and returns the adapters' parameters in the model's order. peft
 * makes them in the base's type first and casts all of them at the end.
 * https://github.com/huggingface/peft/blob/v0.18.0/src/peft/tuners/tuners_utils.py
 */
export function installAdapters(tape: Tape, root: Module, settings: AdapterSettings): readonly Parameter[] {
  const wrapped = targetModules(root, settings.targets).map((module) => {
    const base = module.parameter('weight').elementBytes;
    const make = (suffix: string, shape: Shape): Parameter =>
      tape.createParameter(`${module.path}.${suffix}`, shape, base, true);
    const [down, up] = adapterShapes(module, settings.rank);
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

function adapterShapes(module: Module, rank: number): readonly [Shape, Shape] {
  const [first = 0, second = 0] = module.parameter('weight').shape;
  const [inner, outer] = module.kind === 'conv1d' ? [first, second] : [second, first];
  return [
    [rank, inner],
    [outer, rank],
  ];
}

/** The modules that adapters go around, in the model's order. */
export function targetModules(root: Module, targets: readonly string[] | 'all-linear'): readonly Module[] {
  const found: Module[] = [];
  const visit = (module: Module): void => {
    const linear = module.kind === 'linear' || module.kind === 'conv1d';
    if (linear && isTarget(module, targets)) found.push(module);
    module.children.forEach(visit);
  };
  visit(root);
  return found;
}

function isTarget(module: Module, targets: readonly string[] | 'all-linear'): boolean {
  if (targets === 'all-linear') return !isOutputLayer(module);
  return targets.some((target) => module.path === target || module.path.endsWith(`.${target}`));
}

/** peft leaves out `get_output_embeddings()`, which is the layer that no block contains and whose output is a vocabulary. */
function isOutputLayer(module: Module): boolean {
  return OUTPUT_LAYERS.includes(module.path);
}

const OUTPUT_LAYERS = ['lm_head', 'embed_out', 'output', 'cls.predictions.decoder', 'generator_lm_head'];
