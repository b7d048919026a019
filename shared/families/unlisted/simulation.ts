/**
 * A model whose family has no forward of its own, simulated from its facts: embeddings, blocks by the shapes of their layers, final
 * norm, head and loss of the kind that the Architecture names.
 */
import { framesOf, patchesOf } from '../../memory/inputLengths';
import { add, scale } from '../../memory/operations/elementwise';
import { embedding } from '../../memory/operations/embedding';
import { linear, matrixProduct } from '../../memory/operations/linear';
import { normalize } from '../../memory/operations/norms';
import type { Module } from '../../memory/tape/module';
import { hold, last } from '../../memory/tape/tape';
import { type Tensor, width } from '../../memory/tape/tensor';
import type { Stack } from '../../model/architecture';
import { dimension, hasPath } from '../common/simulation/expected';
import { heldMask } from '../common/simulation/positions';
import { type RotaryTables, givenTables, rotaryTables } from '../common/simulation/rotary';
import { type Forward, requireInputGradient, runBlock } from '../forward';
import { anyBlock, mix, modulesOf } from './blockByShapes';
import { anyHeadLoss, outside } from './headByFacts';
import { knownBlock } from './knownBlock';

/**
 * The loss of any model: its stacks one after the other, each [batch, positions, width], and the head that its facts name. Refuses nothing
 * that `checkRequest` lets pass.
 */
export function simulateUnlisted(forward: Forward): Tensor {
  const { tape, architecture } = forward;
  return tape.frame([], () => {
    let before: Tensor | null = null;
    for (const stack of architecture.stacks) before = hold(simulateStack(forward, stack, before));
    if (before === null) throw new Error('A model has a stack of layers.');
    return tape.as('logits', () => anyHeadLoss(forward, before));
  });
}

/** One stack; what an earlier one gave joins its input, so that gradients reach it. */
function simulateStack(forward: Forward, stack: Stack, before: Tensor | null): Tensor {
  const { tape, root } = forward;
  const owner = stack.path === '' ? root : root.at(stack.path);
  return tape.call(owner.place, [], () => {
    let hidden = hold(stackInput(forward, owner, stack));
    requireInputGradient(forward, hidden);
    if (before !== null) hidden = hold(mix([last(hidden), joined(forward, before)], hidden.shape));
    const causal = stack.layers.some(({ mixer }) => mixer.kind === 'attention' && mixer.causal);
    const mask = causal ? heldMask(forward, forward.attention === 'eager') : null;
    const tables = stackTables(forward, stack, hidden);
    const blocks = blocksOf(owner);
    stack.layers.forEach((layer, index) => {
      // Layers that share their weights (ALBERT's) have fewer blocks than there are layers.
      const block = blocks[index] ?? blocks.at(-1);
      if (block === undefined) return;
      const shared = [tables?.cos ?? null, tables?.sin ?? null, mask];
      hidden = hold(
        runBlock(forward, block, last(hidden), shared, (x, [cos, sin, causalMask = null]) => {
          const turned = cos && sin ? givenTables(cos, sin) : null;
          return (
            knownBlock(forward, stack, block, layer, turned, causalMask, x) ??
            anyBlock({ forward, block, layer, tables: turned, mask: causalMask }, x)
          );
        }),
      );
    });
    const norm = outside(owner, ['norm']).at(-1);
    if (stack.finalNorm === null || norm === undefined) return hidden;
    return normalize(norm, last(hidden), stack.finalNorm);
  });
}

/** An earlier stack's output through the linear layers that join it to the next. */
function joined({ architecture, root }: Forward, output: Tensor): Tensor {
  let hidden = output;
  for (const connector of architecture.connectors) {
    if (!hasPath(root, connector.path)) continue;
    for (const module of modulesOf(root.at(connector.path), ['linear'])) {
      const [, input = 1] = module.parameter('weight').shape;
      const fitting =
        width(hidden.shape) === input ? hidden : hold(mix([hidden], [...hidden.shape.slice(0, -1), input]));
      hidden = hold(linear(module, fitting));
    }
  }
  return hidden;
}

function stackInput(forward: Forward, owner: Module, stack: Stack): Tensor {
  const { tape, batch, sequence, root, modelBytes } = forward;
  const { inputs, hiddenSize } = stack;
  if (inputs.kind === 'tokens') {
    const rows = (module: Module): number => dimension(module.parameter('weight'), 0);
    const tables = [...outside(owner, ['embedding']), ...modulesOf(root, ['embedding'])];
    const table = tables.find((module) => rows(module) === inputs.vocabularySize);
    let hidden = hold(
      table === undefined
        ? tape.create([batch, sequence, hiddenSize], modelBytes)
        : embedding(table, [batch, sequence], null),
    );
    if (inputs.scale !== null) hidden = hold(scale(last(hidden)));
    const placed = positionRows(
      forward,
      stack,
      tables.filter((module) => module !== table),
    );
    if (placed !== null) hidden = hold(add(last(hidden), placed));
    if (width(hidden.shape) !== hiddenSize) hidden = hold(mix([last(hidden)], [batch, sequence, hiddenSize]));
    return hidden;
  }
  const patches = inputs.kind === 'patches';
  const length = patches ? patchesOf(inputs) + inputs.extraTokens : framesOf(inputs);
  const size = patches ? inputs.channels * inputs.patchSize ** 2 : inputs.melBins;
  const pixels = hold(tape.create([batch, length, size], modelBytes));
  const [convolution] = outside(owner, ['convolution']);
  const made =
    convolution === undefined || !patches
      ? mix([pixels], [batch, length, hiddenSize])
      : matrixProduct(convolution, pixels);
  return width(made.shape) === hiddenSize ? made : mix([made], [batch, length, hiddenSize]);
}

/** Rows of a table of positions, which may be a buffer of sines: [1, sequence, width]; null where tokens get none. */
function positionRows(
  { modelBytes, sequence, tape }: Forward,
  { hiddenSize, positions }: Stack,
  [table]: readonly Module[],
): Tensor | null {
  if (positions.kind !== 'learned' && positions.kind !== 'sinusoidal') return null;
  if (table !== undefined) return embedding(table, [1, sequence], null);
  return positions.kind === 'sinusoidal' ? tape.create([1, sequence, hiddenSize], modelBytes) : null;
}

function stackTables(forward: Forward, { positions }: Stack, hidden: Tensor): RotaryTables | null {
  if (positions.kind !== 'rope') return null;
  const length = dimension(hidden, 1);
  const { cos, sin } = rotaryTables(
    forward.tape,
    length,
    positions.rotaryDim,
    forward.bufferBytes,
    hidden.elementBytes,
  );
  return { cos: hold(cos), sin: hold(sin) };
}

/** A stack's blocks: the repeated layers below its owner. */
function blocksOf(module: Module): Module[] {
  return module.isBlock ? [module] : module.children.flatMap(blocksOf);
}
