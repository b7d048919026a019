/** Builders of module nodes, named after the PyTorch modules that they stand for. */
import type { Norm } from './architecture';
import type { ModuleKind, ModuleNode, OwnBuffer, OwnTensor } from './modules';

type Children = readonly (ModuleNode | null)[];

const noTies: ModuleNode['ties'] = {};

function node(
  name: string,
  kind: ModuleKind,
  parameters: readonly OwnTensor[],
  children: readonly ModuleNode[] = [],
  buffers: readonly OwnBuffer[] = [],
): ModuleNode {
  return { name, kind, isBlock: false, parameters, buffers, children, ties: noTies };
}

/** A module that holds others, and maybe parameters of its own (which come first). Null children are left out. */
export function group(name: string, children: Children, parameters: readonly OwnTensor[] = []): ModuleNode {
  return node(name, 'other', parameters, present(children));
}

/** A module with parameters only, such as a stack of experts. */
export function leaf(name: string, kind: ModuleKind, parameters: readonly OwnTensor[]): ModuleNode {
  return node(name, kind, parameters);
}

/** A parameter of that shape. */
export function tensor(name: string, ...shape: readonly number[]): OwnTensor {
  return { name, shape };
}

/** A parameter that `__init__` makes after the module's submodules. */
export function laterTensor(name: string, ...shape: readonly number[]): OwnTensor {
  return { name, shape, madeAfterChildren: true };
}

/** `nn.Linear`: weight `[outputs, inputs]`. */
export function linear(name: string, inputs: number, outputs: number, bias = false): ModuleNode {
  return node(name, 'linear', weightAndBias([outputs, inputs], bias ? outputs : null));
}

/** transformers' `Conv1D`, a linear layer with a transposed weight `[inputs, outputs]` and always a bias. */
export function conv1d(name: string, inputs: number, outputs: number): ModuleNode {
  return node(name, 'conv1d', weightAndBias([inputs, outputs], outputs));
}

/** `nn.Conv1d/2d/3d`: weight `[outputs, inputs / groups, ...kernel]`. */
export function convolution(
  name: string,
  inputsPerGroup: number,
  outputs: number,
  kernel: readonly number[],
  bias = true,
): ModuleNode {
  return node(
    name,
    'convolution',
    weightAndBias([outputs, inputsPerGroup, ...kernel], bias ? outputs : null),
  );
}

/** `nn.Embedding`: weight `[rows, width]`. */
export function embedding(name: string, rows: number, width: number): ModuleNode {
  return node(name, 'embedding', [tensor('weight', rows, width)]);
}

/** A norm over `size` elements; without weight and bias (OLMo) the module has no parameters. */
export function norm(name: string, size: number, normFacts: Norm): ModuleNode {
  const parameters = [
    normFacts.weight ? tensor('weight', size) : null,
    normFacts.bias ? tensor('bias', size) : null,
  ];
  return node(
    name,
    'norm',
    parameters.filter((parameter) => parameter !== null),
  );
}

/** A ModuleList: the items get their index as name. */
export function list(name: string, items: readonly ModuleNode[]): ModuleNode {
  return node(
    name,
    'other',
    [],
    items.map((item, index) => renamed(item, String(index))),
  );
}

/** A repeated layer of a stack; `list` gives it its index. */
export function block(children: Children, parameters: readonly OwnTensor[] = []): ModuleNode {
  return { ...node('', 'other', parameters, present(children)), isBlock: true };
}

/** A module of buffers only: rope's inverse frequencies, twice, as transformers 5 keeps them, in fp32 always. */
export function rotary(name: string, rotaryDim: number, layerTypes: readonly string[] = ['']): ModuleNode {
  const rows = Math.floor(rotaryDim / 2);
  const buffers = layerTypes.flatMap((type) =>
    ['inv_freq', 'original_inv_freq'].map((buffer) =>
      fp32Buffer(type === '' ? buffer : `${type}_${buffer}`, rows),
    ),
  );
  return node(name, 'other', [], [], buffers);
}

/** A buffer that stays in fp32, such as the frequencies of rope. */
export function fp32Buffer(name: string, ...shape: readonly number[]): OwnBuffer {
  return { name, shape, elementBytes: 4, followsDtype: false };
}

/**
 * Floats that are no parameters and have the model's type, such as a table of sines; made anew where a model is loaded.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/xglm/modeling_xglm.py#L64
 */
export function floatBuffer(name: string, ...shape: readonly number[]): OwnBuffer {
  return { name, shape, elementBytes: 4, followsDtype: true };
}

/** int64, such as `position_ids`. */
export function indexBuffer(name: string, ...shape: readonly number[]): OwnBuffer {
  return { name, shape, elementBytes: 8, followsDtype: false };
}

/** Booleans, such as a causal mask. */
export function maskBuffer(name: string, ...shape: readonly number[]): OwnBuffer {
  return { name, shape, elementBytes: 1, followsDtype: false };
}

/** The node with further buffers. */
export function withBuffers(base: ModuleNode, buffers: readonly OwnBuffer[]): ModuleNode {
  return { ...base, buffers: [...base.buffers, ...buffers] };
}

/** The node with own parameters that are other modules' tensors, such as `{ weight: 'model.embed_tokens.weight' }`. */
export function tied(base: ModuleNode, ties: Readonly<Record<string, string>>): ModuleNode {
  return { ...base, ties: { ...base.ties, ...ties } };
}

/** The node with its own parameters marked as never trained, such as a table of sines. */
export function frozen(base: ModuleNode): ModuleNode {
  return { ...base, parameters: base.parameters.map((parameter) => ({ ...parameter, frozen: true })) };
}

/** The tree with the parameter at `path` (`embeddings.word_embeddings.weight`) marked as another tensor. */
export function tiedInside(base: ModuleNode, path: string, target: string): ModuleNode {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return tied(base, { [name]: target });
  return {
    ...base,
    children: base.children.map((child) =>
      child.name === name ? tiedInside(child, rest.join('.'), target) : child,
    ),
  };
}

/** The node under another name. */
export function renamed(base: ModuleNode, name: string): ModuleNode {
  return base.name === name ? base : { ...base, name };
}

function weightAndBias(weight: readonly number[], bias: number | null): readonly OwnTensor[] {
  const own: OwnTensor = { name: 'weight', shape: weight };
  return bias === null ? [own] : [own, tensor('bias', bias)];
}

function present(children: Children): readonly ModuleNode[] {
  return children.filter((child) => child !== null);
}
