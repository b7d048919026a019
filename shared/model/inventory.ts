/**
 * Every tensor of a model, in PyTorch's own order (`named_parameters`: a module's parameters, then its children's, as they
 * were registered). The optimizer, DDP's buckets, FSDP's units, LoRA targets and the parameter count read this list.
 */
import type { Architecture } from './architecture';
import type { ModuleKind, ModuleNode } from './modules';

/** A parameter in its place. */
export interface ParameterTensor {
  /** As in `state_dict`, such as `model.layers.0.self_attn.q_proj.weight`. */
  readonly name: string;
  readonly shape: readonly number[];
  readonly elements: number;
  /** Path of the module that owns it, such as `model.layers.0.self_attn.q_proj`. */
  readonly modulePath: string;
  readonly module: ModuleKind;
  /** Path of the repeated layer that it lies in, such as `model.layers.0`; null outside of the layers. */
  readonly blockPath: string | null;
  /** The name of the tensor that this one is; such an entry takes no memory and `parameters()` leaves it out. */
  readonly tiedTo: string | null;
  /** Counted, but never trained by gradient. */
  readonly frozen: boolean;
}

/** A buffer in its place. */
export interface BufferTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly elements: number;
  readonly elementBytes: number;
  /** As in `OwnBuffer`. */
  readonly followsDtype: boolean;
}

const elementsOf = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

interface NestedModule {
  readonly node: ModuleNode;
  readonly path: string;
  readonly blockPath: string | null;
}

/** Every module below and with `root`, parents first, in registration order, as `named_modules` gives them. */
function* nestedModules(node: ModuleNode, path: string, blockPath: string | null): Generator<NestedModule> {
  const block = node.isBlock ? path : blockPath;
  yield { node, path, blockPath: block };
  for (const child of node.children) yield* nestedModules(child, joined(path, child.name), block);
}

/** The parameters in registration order, tied ones included and marked. */
export function parameterTensors(architecture: Architecture): readonly ParameterTensor[] {
  const tensors: ParameterTensor[] = [];
  for (const { node, path, blockPath } of nestedModules(architecture.modules, '', null)) {
    for (const { name, shape, frozen = false } of node.parameters) {
      tensors.push({
        name: joined(path, name),
        shape,
        elements: elementsOf(shape),
        modulePath: path,
        module: node.kind,
        blockPath,
        tiedTo: node.ties[name] ?? null,
        frozen,
      });
    }
  }
  return tensors;
}

/** The buffers in registration order, as `named_buffers` gives them. */
export function bufferTensors(architecture: Architecture): readonly BufferTensor[] {
  const tensors: BufferTensor[] = [];
  for (const { node, path } of nestedModules(architecture.modules, '', null)) {
    for (const { name, shape, elementBytes, followsDtype } of node.buffers)
      tensors.push({
        name: joined(path, name),
        shape,
        elements: elementsOf(shape),
        elementBytes,
        followsDtype,
      });
  }
  return tensors;
}

/** Parameters as `sum(p.numel() for p in model.parameters())` counts them: tied tensors once. */
export function parameterCount(architecture: Architecture): number {
  return parameterTensors(architecture).reduce(
    (sum, tensor) => (tensor.tiedTo === null ? sum + tensor.elements : sum),
    0,
  );
}

/** Paths of the repeated layers of all stacks, in registration order: the units of checkpointing and FSDP. */
export function blockPaths(architecture: Architecture): readonly string[] {
  return [...nestedModules(architecture.modules, '', null)]
    .filter(({ node }) => node.isBlock)
    .map(({ path }) => path);
}
