/** Heads and losses by the Architecture's facts and the shapes of the modules outside of blocks. */
import { act } from '../../operations/activations';
import { firstPosition, meanOfPositions } from '../../operations/layout';
import { linear } from '../../operations/linear';
import { causalLoss, crossEntropy } from '../../operations/loss';
import type { Module } from '../../tape/module';
import { hold } from '../../tape/tape';
import { type Tensor, width } from '../../tape/tensor';
import type { Forward } from '../context';
import { mix } from './anyBlock';

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
  if (head.kind === 'language-model') {
    const module = giving(head.vocabularySize);
    let input = hidden;
    const dense = head.transform === null ? undefined : giving(head.transform.size);
    if (dense !== undefined && head.transform !== null)
      input = hold(act(head.transform.activation, linear(dense, input)));
    if (module !== undefined) {
      const logits = hold(linear(module, fitted(module, input)));
      return head.objective === 'causal' ? causalLoss(tape, logits) : crossEntropy(logits, null);
    }
  }
  if (head.kind === 'classifier') {
    const module = giving(head.labels);
    const input = hold(readBy(head.over, hidden));
    if (module !== undefined) return crossEntropy(hold(linear(module, fitted(module, input))), null);
  }
  return mix([hidden], [1]);
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
