/** Heads and losses by the Architecture's facts and the shapes of the modules outside of blocks. */
import { act } from '../../memory/operations/activations';
import { firstPosition, meanOfPositions } from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { causalLoss, crossEntropy } from '../../memory/operations/loss';
import type { Module } from '../../memory/tape/module';
import { hold, last } from '../../memory/tape/tape';
import { type Tensor, width } from '../../memory/tape/tensor';
import { spanLoss } from '../common/simulation/spanLoss';
import type { Forward } from '../forward';
import { mix } from './blockByShapes';

/** Modules of some kinds below one, without those inside blocks. */
export function outside(module: Module, kinds: readonly Module['kind'][]): Module[] {
  if (module.isBlock) return [];
  return [
    ...(kinds.includes(module.kind) ? [module] : []),
    ...module.children.flatMap((child) => outside(child, kinds)),
  ];
}

/** The loss of any head over hidden states [batch, positions, hidden]; without one, of the hidden states themselves. */
export function anyHeadLoss(forward: Forward, hidden: Tensor): Tensor {
  const { tape, architecture, root } = forward;
  const { head } = architecture;
  const products = outside(root, ['linear']);
  const giving = (size: number): Module | undefined =>
    products.findLast((module) => module.parameter('weight').shape[0] === size);
  /** What the head's dense layer makes of `x`, where the facts tell of one and it is there. */
  const transformed = (transform: Transform | null, x: Tensor): Tensor => {
    const dense = transform === null ? undefined : giving(transform.size);
    if (dense === undefined || transform === null) return x;
    const made = hold(linear(dense, fitted(dense, x)));
    return transform.activation === 'none' ? made : hold(act(transform.activation, last(made)));
  };
  if (head.kind === 'language-model') {
    const module = giving(head.vocabularySize);
    const input = transformed(head.transform, hidden);
    if (module !== undefined) {
      const logits = hold(linear(module, fitted(module, input)));
      return head.objective === 'causal' ? causalLoss(tape, logits) : crossEntropy(logits, null);
    }
  }
  if (head.kind === 'classifier') {
    const module = giving(head.labels);
    const input = transformed(head.transform, hold(readBy(head.over, hidden)));
    if (module !== undefined && head.over === 'span') return spanLoss(module, fitted(module, input));
    if (module !== undefined) return crossEntropy(hold(linear(module, fitted(module, input))), null);
  }
  return mix([hidden], [1]);
}

/** A dense layer in front of the last one. */
interface Transform {
  readonly size: number;
  readonly activation: string;
}

/** What a classifier reads of hidden states: a row of each token, or one for the whole input. */
function readBy(over: 'tokens' | 'input' | 'mean' | 'span', hidden: Tensor): Tensor {
  switch (over) {
    case 'input':
      return firstPosition(hidden);
    case 'mean':
      return meanOfPositions(hidden);
    case 'tokens':
    case 'span':
      return hidden;
  }
}

function fitted(module: Module, x: Tensor): Tensor {
  const [, input = 1] = module.parameter('weight').shape;
  return width(x.shape) === input ? x : hold(mix([x], [...x.shape.slice(0, -1), input]));
}
