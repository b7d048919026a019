import type { ModuleKind, ModuleNode, OwnBuffer } from '../../model/modules';
import type { Tape } from './tape';
import type { Parameter, Tensor } from './tensor';

/** What a step decides for a tensor of the model when it is built. */
export interface BuildRules {
  readonly parameterBytes: (path: string, name: string, kind: ModuleKind) => number;
  readonly trained: (path: string, name: string, kind: ModuleKind) => boolean;
  readonly bufferBytes: (buffer: OwnBuffer) => number;
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
    if (child === undefined) throw new Error(`${this.path} has no module ${name}.`);
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
    const parameter = this.parameters.get(name);
    if (parameter === undefined) throw new Error(`${this.path} has no parameter ${name}.`);
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

export interface LowRankAdapter {
  readonly down: Parameter;
  readonly up: Parameter;
  readonly dropout: number;
}

export interface BuiltModel {
  readonly root: Module;
  /** In the order of `model.parameters()`, without adapters. */
  readonly parameters: readonly Parameter[];
}

/** Puts the model on the card: parameters in the order in which their modules are made, tied ones once. */
export function buildModel(tape: Tape, tree: ModuleNode, rules: BuildRules): BuiltModel {
  const parameters: Parameter[] = [];
  const byName = new Map<string, Tensor>();
  const build = (node: ModuleNode, path: string): Module => {
    const module = new Module(tape, path, node.kind, node.isBlock);
    const join = (name: string): string => (path === '' ? name : `${path}.${name}`);
    for (const { name, shape } of node.parameters) {
      const tied = node.ties[name];
      const bytes = rules.parameterBytes(path, name, node.kind);
      if (tied !== undefined) {
        // The module makes its own tensor first and is tied to the other's when it is whole.
        tape.release(tape.createOwned(shape, bytes, 'parameters'));
        const target = byName.get(tied);
        if (target === undefined) throw new Error(`${join(name)} is tied to ${tied}, which comes later.`);
        module.parameters.set(name, target);
        continue;
      }
      const trained = rules.trained(path, name, node.kind);
      const parameter = tape.createParameter(join(name), shape, bytes, trained);
      module.parameters.set(name, parameter);
      byName.set(join(name), parameter);
      parameters.push(parameter);
    }
    for (const buffer of node.buffers) tape.createOwned(buffer.shape, rules.bufferBytes(buffer), 'buffers');
    for (const child of node.children) module.adopt(build(child, join(child.name)), child.name);
    return module;
  };
  return { root: build(tree, ''), parameters };
}
