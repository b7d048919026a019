/**
 * A block whose code is not written here, simulated from its facts and the shapes of its linear layers: the nearest there is for
 * families without a forward of their own. It never throws for a shape that it did not expect.
 */
import { act } from '../../memory/operations/activations';
import { add, multiply } from '../../memory/operations/elementwise';
import { splitHeads } from '../../memory/operations/layout';
import { conv1d, linear } from '../../memory/operations/linear';
import { normalize } from '../../memory/operations/norms';
import { withAdaptedParameters } from '../../memory/operations/parameterAdapters';
import type { Module } from '../../memory/tape/module';
import { hold } from '../../memory/tape/tape';
import { type Shape, type Tensor, width, withWidth } from '../../memory/tape/tensor';
import type { Layer, SoftmaxAttention } from '../../model/architecture';
import { attend, attentionForm } from '../common/simulation/attention';
import { expertsPerTokenOf } from '../common/simulation/expected';
import { type RotaryTables, rotate } from '../common/simulation/rotary';
import type { Forward } from '../forward';

export interface AnyBlockContext {
  readonly forward: Forward;
  readonly block: Module;
  readonly layer: Layer;
  readonly tables: RotaryTables | null;
  readonly mask: Tensor | null;
}

const ATTENTION = /attn|attention|mixer|mamba|retention|temporal/i;

const OUTPUT = /^(o|out|output|dense|c|wo|proj)(_proj|_lin|_dense|_layer)?$/i;

/** All modules of some kinds at and below one, in registration order. */
export function modulesOf(root: Module, kinds: readonly Module['kind'][]): Module[] {
  return [
    ...(kinds.includes(root.kind) ? [root] : []),
    ...root.children.flatMap((child) => modulesOf(child, kinds)),
  ];
}

const linears = (module: Module): Module[] => modulesOf(module, ['linear', 'conv1d']);

/** Elements that a linear layer takes and gives. */
function sizes(module: Module): { readonly input: number; readonly output: number } {
  const [first = 1, second = 1] = module.parameter('weight').shape;
  return module.kind === 'conv1d' ? { input: first, output: second } : { input: second, output: first };
}

function apply(module: Module, x: Tensor): Tensor {
  const { input } = sizes(module);
  const fitting = width(x.shape) === input ? x : mix([x], withWidth(x.shape, input));
  return module.kind === 'conv1d' ? conv1d(module, fitting) : linear(module, fitting);
}

/** Some operation of all inputs that keeps them, gives `shape`, and makes a gradient for each. */
export function mix(inputs: readonly Tensor[], shape: Shape): Tensor {
  const [first] = inputs;
  if (first === undefined) throw new Error('Nothing to mix.');
  const { tape } = first;
  const bytes = Math.max(...inputs.map((input) => input.elementBytes));
  const shapes = inputs.map((input) => input.shape);
  return tape.apply([...inputs], [...inputs], shape, bytes, () =>
    shapes.map((own) => tape.create(own, bytes)),
  );
}

/** One block over x [batch, positions, width]: norm, mixer, norm, feed-forward in the layer's placement. */
export function anyBlock(context: AnyBlockContext, x: Tensor): Tensor {
  const { block, layer } = context;
  const parts = partsOf(block);
  const direct = parts.filter(({ kind }) => kind === 'norm');
  // BERT and T5 keep their norms inside of the branches.
  const norms = direct.length > 0 ? direct : modulesOf(block, ['norm']);
  const normed = (index: number, input: Tensor): Tensor => {
    const module = norms[Math.min(index, norms.length - 1)];
    return module === undefined ? input : normalize(module, input, layer.norm);
  };
  const hasMixer = layer.mixer.kind !== 'none';
  const mixer = parts.filter((part) => hasMixer && isAttention(part));
  const rest = parts.filter((part) => !mixer.includes(part) && part.kind !== 'norm');
  const mixed = (input: Tensor): Tensor => mixerBranch(context, mixer, input);
  const fed = (input: Tensor): Tensor => feedForwardBranch(context, rest, input);
  if (layer.placement === 'parallel') {
    const input = hold(normed(0, x));
    const attended = hold(mixed(input));
    return add(add(x, attended), hold(fed(layer.norms > 1 ? hold(normed(1, x)) : input)));
  }
  if (layer.placement === 'post') {
    const middle = hold(normed(0, add(x, mixed(x))));
    return normed(1, add(middle, fed(middle)));
  }
  if (layer.placement === 'branch') {
    const middle = hold(add(x, normed(0, mixed(x))));
    return add(middle, normed(1, fed(middle)));
  }
  const sandwich = layer.placement === 'sandwich';
  const attended = mixed(hold(normed(0, x)));
  const middle = hold(add(x, sandwich ? normed(1, attended) : attended));
  const output = fed(hold(normed(sandwich ? 2 : 1, middle)));
  return add(middle, sandwich ? normed(3, output) : output);
}

const isAttention = ({ path }: Module): boolean => ATTENTION.test(lastName(path));

const holdsAttention = (module: Module): boolean =>
  module.children.some((child) => isAttention(child) || holdsAttention(child));

/** A block's parts; lists and wrappers that hold attention among others are opened (T5's `layer.0`). */
function partsOf(module: Module): Module[] {
  return module.children.flatMap((child) =>
    !isAttention(child) && holdsAttention(child) ? partsOf(child) : [child],
  );
}

const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

function mixerBranch(context: AnyBlockContext, modules: readonly Module[], x: Tensor): Tensor {
  const all = modules.flatMap(linears);
  if (all.length === 0) return x;
  const { mixer } = context.layer;
  if (mixer.kind === 'attention') return attentionByShapes(context, mixer, all, x);
  return chain(all, x);
}

/** Projections by their sizes, rotation, attention, output. */
function attentionByShapes(
  { forward, tables, mask }: AnyBlockContext,
  facts: SoftmaxAttention,
  all: readonly Module[],
  x: Tensor,
): Tensor {
  const { tape } = forward;
  const [batch = 1, sequence = 1] = x.shape;
  return tape.frame([x], () => {
    const output = [...all].reverse().find(({ path }) => OUTPUT.test(lastName(path))) ?? all[all.length - 1];
    const projections = all.filter((module) => module !== output).map((module) => hold(apply(module, x)));
    const headed = (index: number, heads: number, dim: number): Tensor => {
      const size = heads * dim;
      const own = projections.length === 3 ? projections[index] : undefined;
      const flat =
        own !== undefined && width(own.shape) === size
          ? own
          : hold(mix(projections.length === 0 ? [x] : projections, [batch, sequence, size]));
      return hold(splitHeads(flat, [batch, heads, sequence, dim], true));
    };
    const query = headed(0, facts.heads, facts.headDim);
    const key = headed(1, facts.keyValueHeads, facts.headDim);
    const value = headed(2, facts.keyValueHeads, facts.valueHeadDim);
    const turn = (part: Tensor): Tensor =>
      tables !== null && facts.positions && width(tables.cos.shape) === facts.headDim
        ? hold(rotate(part, tables))
        : part;
    const form = attentionForm(forward, facts, query.elementBytes, mask !== null);
    const attended = attend(form, facts, { query: turn(query), key: turn(key), value, mask });
    return output === undefined ? attended : apply(output, attended);
  });
}

/** Gated or plain MLP by the layer's facts; anything else as a chain of its linear layers. */
function feedForwardBranch({ layer, block }: AnyBlockContext, modules: readonly Module[], x: Tensor): Tensor {
  const all = modules.flatMap(linears);
  const { feedForward } = layer;
  const experts = modules.flatMap((module) => modulesOf(module, ['expert']));
  if (feedForward.kind === 'experts' && experts.length > 0)
    return block.tape.frame([x], () =>
      withAdapters(experts, () => expertsByShapes(experts, all, expertsPerTokenOf(feedForward), x)),
    );
  const [first, second, third] = all;
  if (feedForward.kind !== 'mlp' || first === undefined) return chain(all, x);
  return block.tape.frame([x], () => {
    const inner = act(feedForward.activation, apply(first, x));
    if (second === undefined) return inner;
    if (third === undefined) return apply(second, inner);
    return apply(third, multiply(inner, apply(second, x)));
  });
}

const withAdapters = (modules: readonly Module[], body: () => Tensor): Tensor =>
  modules.reduce<() => Tensor>((inner, module) => () => withAdaptedParameters(module, inner), body)();

/** Every stacked expert parameter as a product over the tokens that were sent to it; then what every token passes. */
function expertsByShapes(
  experts: readonly Module[],
  shared: readonly Module[],
  perToken: number,
  x: Tensor,
): Tensor {
  const [batch = 1, sequence = 1, size = 1] = x.shape;
  const rows = batch * sequence * perToken;
  let inner = hold(mix([x], [rows, size]));
  for (const [module, name] of experts.flatMap((each) =>
    [...each.parameters.keys()].map((key) => [each, key] as const),
  )) {
    const parameter = hold(module.parameter(name));
    const widths = parameter.shape.slice(1).filter((length) => length !== width(inner.shape));
    inner = hold(mix([inner, parameter], [rows, widths[0] ?? size]));
  }
  const routed = hold(mix([inner], x.shape));
  return shared.length === 0 ? routed : add(routed, chain(shared, x));
}

/** Linear layers that share no known code: those that read the input, what is made of them, and the last back to its width. */
function chain(modules: readonly Module[], x: Tensor): Tensor {
  const size = width(x.shape);
  const last = [...modules].reverse().find((module) => sizes(module).output === size);
  const [first] = modules;
  if (first === undefined) return x;
  return first.tape.frame([x], () => {
    const made: Tensor[] = [];
    for (const module of modules) if (module !== last) made.push(hold(apply(module, x)));
    if (last === undefined) return mix([x, ...made], x.shape);
    const inner = made.length === 0 ? x : hold(mix(made, withWidth(x.shape, sizes(last).input)));
    return apply(last, inner);
  });
}
