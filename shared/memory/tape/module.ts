import type { ModuleKind, ModuleNode, OwnBuffer, OwnTensor } from '../../model/modules';
import type { TensorLayout } from '../../model/tensorParallel';
import type { Tape } from './tape';
import { elements, FP32, type Parameter, type Shape, Tensor } from './tensor';

/** How the model is built. */
export interface BuildRules {
  readonly parameterBytes: number;
  /** False: the whole model is frozen, as under LoRA. */
  readonly trained: boolean;
  /** Weights that are stored in 4 bits; null: none. */
  readonly quantization: WeightQuantization | null;
  /** Full names of parameters that another stage of a pipeline has: they take no memory and are not trained here. */
  readonly elsewhere: ReadonlySet<string>;
}

/** How QLoRA stores weights. */
export interface WeightQuantization {
  /** Paths of the modules whose weights they are. */
  readonly paths: ReadonlySet<string>;
  /** Element size in which the products run. */
  readonly computeBytes: number;
  /** The scales are quantised too. */
  readonly nested: boolean;
}

/** What a product has to know of its 4-bit weight. */
export interface QuantizedWeight {
  readonly computeBytes: number;
  /** One for each block of weights. */
  readonly scales: number;
  readonly nested: boolean;
}

/** 4-bit weights in nf4: a scale for 64 of them, and when scales are quantised to a byte, a second one for 256 scales. */
const halfByte = 0.5;
const scaleBlock = 64;
const nestedBlock = 256;
/** Values of the 4-bit and of the 8-bit code, in fp32. */
const codeBytes = 16 * FP32;
const nestedCodeBytes = 256 * FP32;

/** The code that plays a model asks for a module or a parameter that the model does not have: it is another model's code. */
export class MissingPart extends Error {
  override readonly name = 'MissingPart';
}

/**
 * A module with its weights on the tape. Model code asks for children and parameters by their names in transformers, so a
 * block reads as it does there; asking for one that the architecture does not have throws.
 */
export class Module {
  readonly parameters = new Map<string, Tensor>();
  readonly children: Module[] = [];
  readonly place: number;
  /** Low-rank adapters that peft has put around this module. */
  adapter: LowRankAdapter | null = null;
  /** Set where the weight is stored in 4 bits. */
  quantized: QuantizedWeight | null = null;
  /** Adapters of the module's own parameters, by the parameter's name, in the model's order. */
  readonly parameterAdapters = new Map<string, ParameterAdapter>();
  /** While adapted parameters are in use: what makes each from the parameter and its adapters. */
  readonly adapted = new Map<string, () => Tensor>();
  /** What runs around the module's forward. */
  hooks: ForwardHooks | null = null;
  /** What runs around the call of a layer with parameters of its own, as DeepSpeed registers it on every module. */
  layerHooks: LayerHooks | null = null;
  /** How tensor parallelism has cut the weight, and over how many cards; null: it is whole. */
  sharded: { readonly layout: TensorLayout; readonly cards: number } | null = null;
  /** Where cards exchange hidden states in front of this layer: gives what comes instead of its input. */
  exchange: ((x: Tensor) => Tensor) | null = null;
  /** Gives the result, of a shape, of a table or convolution that is on another stage of a pipeline. */
  standIn: ((shape: Shape) => Tensor) | null = null;
  private readonly byName = new Map<string, Module>();

  constructor(
    readonly tape: Tape,
    readonly path: string,
    readonly kind: ModuleKind,
    readonly isBlock: boolean,
  ) {
    this.place = tape.log.place(path);
  }

  child(name: string): Module {
    const child = this.byName.get(name);
    if (child === undefined) throw new MissingPart(`${this.path || 'The model'} has no module ${name}.`);
    return child;
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  /** The module at a dotted path below this one. */
  at(path: string): Module {
    return path === '' ? this : path.split('.').reduce<Module>((module, name) => module.child(name), this);
  }

  parameter(name: string): Tensor {
    const parameter = this.adapted.get(name)?.() ?? this.parameters.get(name);
    if (parameter === undefined)
      throw new MissingPart(`${this.path || 'The model'} has no parameter ${name}.`);
    return parameter;
  }

  /** A parameter that not every model of the family has, such as a bias. */
  optional(name: string): Tensor | null {
    return this.parameters.get(name) ?? null;
  }

  adopt(child: Module, name: string): void {
    this.children.push(child);
    this.byName.set(name, child);
  }
}

/** Forward hooks, as FSDP registers them on every block. */
export interface ForwardHooks {
  /** Before forward; returns the input that forward gets. */
  before(input: Tensor): Tensor;
  /** After forward, when its locals are gone. */
  after(output: Tensor): void;
}

/** A module's forward with its hooks; `input` and what `before` makes of it live until the surrounding call ends. */
export function withHooks<T extends Tensor | readonly Tensor[]>(
  module: Module,
  input: Tensor,
  forward: (input: Tensor) => T,
): T {
  const { hooks, tape } = module;
  if (hooks === null) return forward(input);
  const given = hooks.before(input);
  const output = tape.frame([], () => forward(given));
  const first = output instanceof Tensor ? output : output[0];
  if (first !== undefined) hooks.after(first);
  return output;
}

/** Hooks of a layer, as DeepSpeed's stage 3 registers them. */
export interface LayerHooks {
  beforeForward(): void;
  afterForward(output: Tensor): void;
  /** The input through a node that backward reaches when it is done with the layer. */
  track(input: Tensor): Tensor;
}

/** A layer's call with its hooks; what it makes is counted at its place. */
export function callLayer(module: Module, input: Tensor, forward: (input: Tensor) => Tensor): Tensor {
  const { layerHooks, place, tape } = module;
  if (layerHooks === null) return tape.call(place, [input], () => forward(input));
  return tape.call(place, [input], () => {
    layerHooks.beforeForward();
    const given = layerHooks.track(input);
    const output = tape.frame([], () => forward(given));
    layerHooks.afterForward(output);
    return output;
  });
}

/** The same for a layer whose inputs (indices, pixels) need no gradient. */
export function callTable(module: Module, inputs: readonly Tensor[], forward: () => Tensor): Tensor {
  const { layerHooks, place, tape } = module;
  if (layerHooks === null) return tape.call(place, inputs, forward);
  return tape.call(place, inputs, () => {
    layerHooks.beforeForward();
    const output = tape.frame([], forward);
    layerHooks.afterForward(output);
    return output;
  });
}

/** A linear layer's adapter. */
export interface LowRankAdapter {
  readonly down: Parameter;
  readonly up: Parameter;
  readonly dropout: number;
}

/** Adapters of a parameter that is no linear layer's weight: one matrix, or a stack of them. */
export interface ParameterAdapter {
  readonly down: Parameter;
  readonly up: Parameter;
  readonly experts: number;
  /** Their product is multiplied by a constant other than 1. */
  readonly isScaled: boolean;
}

/** A model on the tape. */
export interface BuiltModel {
  readonly root: Module;
  /** In the order of `model.parameters()`, without adapters. */
  readonly parameters: readonly Parameter[];
  /** In the order of `model.buffers()`. */
  readonly buffers: readonly Tensor[];
}

/**
 * Puts the model on the card: parameters in the order in which their modules are made, tied ones once; at the end
 * `model.to(dtype)` recasts the buffers that were made in fp32.
 */
export function buildModel(tape: Tape, tree: ModuleNode, rules: BuildRules): BuiltModel {
  const builder = new ModelBuilder(tape, rules);
  const root = builder.build(tree, '');
  builder.finish();
  return { root, parameters: builder.parameters, buffers: builder.buffers };
}

class ModelBuilder {
  readonly parameters: Parameter[] = [];
  private readonly byName = new Map<string, Tensor>();
  readonly buffers: Tensor[] = [];
  private readonly castLater = new Set<Tensor>();
  private readonly untied: Tensor[] = [];

  constructor(
    private readonly tape: Tape,
    private readonly rules: BuildRules,
  ) {}

  build(node: ModuleNode, path: string): Module {
    const module = new Module(this.tape, path, node.kind, node.isBlock);
    const later: Parameter[] = [];
    for (const tensor of node.parameters) {
      const tied = node.ties[tensor.name];
      const fullName = joinPath(path, tensor.name);
      if (tied !== undefined) {
        module.parameters.set(tensor.name, this.makeTied(fullName, tensor.shape, tied));
        continue;
      }
      const parameter = this.makeParameter(fullName, tensor);
      module.parameters.set(tensor.name, parameter);
      if (tensor.madeAfterChildren === true && !this.rules.elsewhere.has(fullName)) later.push(parameter);
    }
    module.quantized = this.makeScales(path, module);
    for (const child of node.children)
      module.adopt(this.build(child, joinPath(path, child.name)), child.name);
    for (const parameter of later) this.tape.refill(parameter, parameter.bytes, 'parameters');
    // transformers registers a module's own buffers after its submodules.
    for (const buffer of node.buffers) this.makeBuffer(buffer);
    return module;
  }

  finish(): void {
    for (const own of this.untied) this.tape.release(own);
    for (const [index, buffer] of this.buffers.entries()) {
      if (!this.castLater.has(buffer)) continue;
      this.buffers[index] = this.tape.createOwned(buffer.shape, this.rules.parameterBytes, 'buffers');
      this.tape.release(buffer);
    }
  }

  /** A parameter; one that is made after the submodules has no memory yet. */
  private makeParameter(
    name: string,
    { shape, frozen = false, madeAfterChildren = false }: OwnTensor,
  ): Parameter {
    const { elsewhere, parameterBytes, quantization, trained } = this.rules;
    if (elsewhere.has(name)) {
      const absent = this.tape.createEmptyParameter(name, shape, parameterBytes, false);
      this.byName.set(name, absent);
      return absent;
    }
    const isQuantized =
      name.endsWith('.weight') && quantization?.paths.has(name.slice(0, -'.weight'.length)) === true;
    const bytes = isQuantized ? halfByte : parameterBytes;
    const trainsIt = trained && !frozen;
    const parameter = madeAfterChildren
      ? this.tape.createEmptyParameter(name, shape, bytes, trainsIt)
      : this.tape.createParameter(name, shape, bytes, trainsIt);
    this.byName.set(name, parameter);
    this.parameters.push(parameter);
    return parameter;
  }

  /** The scales and codes of a 4-bit weight. */
  private makeScales(path: string, module: Module): QuantizedWeight | null {
    const { quantization } = this.rules;
    if (quantization?.paths.has(path) !== true) return null;
    const { computeBytes, nested } = quantization;
    const scales = Math.ceil(elements(module.parameter('weight').shape) / scaleBlock);
    const outer = Math.ceil(scales / nestedBlock);
    const parts = nested
      ? [scales, outer * FP32, FP32, codeBytes, nestedCodeBytes]
      : [scales * FP32, codeBytes];
    for (const bytes of parts) this.tape.createOwned([bytes], 1, 'parameters');
    return { computeBytes, scales, nested };
  }

  /** The module makes its own tensor first; it goes when the model is whole and weights are tied. */
  private makeTied(name: string, shape: Shape, target: string): Tensor {
    this.untied.push(this.tape.createOwned(shape, this.rules.parameterBytes, 'parameters'));
    const shared = this.byName.get(target);
    if (shared === undefined) throw new Error(`${name} is tied to ${target}, which comes later.`);
    return shared;
  }

  private makeBuffer(buffer: OwnBuffer): void {
    const made = this.tape.createOwned(buffer.shape, buffer.elementBytes, 'buffers');
    this.buffers.push(made);
    if (buffer.followsDtype && buffer.elementBytes !== this.rules.parameterBytes) this.castLater.add(made);
  }
}

const joinPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
