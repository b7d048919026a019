/** The masked-language-model heads: a dense layer, its activation, a norm, and the vocabulary. */
import type { Stack } from '../../../model/architecture';
import { act } from '../../operations/activations';
import { linear } from '../../operations/linear';
import { crossEntropy } from '../../operations/loss';
import { layerNorm } from '../../operations/norms';
import type { Module } from '../../tape/module';
import { hold, last } from '../../tape/tape';
import type { Tensor } from '../../tape/tensor';
import type { FamilyForward, Forward } from '../context';
import { classifierLoss } from './classifierHead';

/** `dense`, activation and `norm`, each step by the same name; the result has no name yet. */
export function transformed(dense: Module, norm: Module, activation: string, hidden: Tensor): Tensor {
  let x = hold(linear(dense, hidden));
  x = hold(act(activation, last(x)));
  return layerNorm(norm, last(x));
}

/** A head that is one module with `dense`, a norm and `decoder` (RoBERTa's, MPNet's, ALBERT's). */
export function headModule(head: Module, norm: string, activation: string, hidden: Tensor): Tensor {
  return head.tape.call(head.place, [hidden], () => {
    const x = hold(transformed(head.child('dense'), head.child(norm), activation, hidden));
    return linear(head.child('decoder'), last(x));
  });
}

/** An encoder's forward with labels: the model, the masked-language-model head's logits and the loss, or a classifier's loss. */
export function encoderLoss(
  model: (forward: Forward, stack: Stack) => Tensor,
  head: (root: Module, activation: string, hidden: Tensor) => Tensor,
): FamilyForward {
  return (forward) => {
    const { tape, root, architecture } = forward;
    const [stack] = architecture.stacks;
    const { head: facts } = architecture;
    if (stack === undefined) throw new Error('An encoder has a stack.');
    if (facts.kind === 'classifier')
      return tape.frame([], () => {
        const hidden = hold(model(forward, stack));
        return tape.as('logits', () => classifierLoss(forward, facts, hidden));
      });
    if (facts.kind !== 'language-model' || facts.transform === null)
      throw new Error('A masked language model has a head with a transform.');
    const { activation } = facts.transform;
    return tape.frame([], () => {
      const hidden = hold(model(forward, stack));
      return tape.as('logits', () => crossEntropy(hold(head(root, activation, hidden)), null));
    });
  };
}
