/** The masked-language-model heads: a dense layer, its activation, a norm, and the vocabulary. */
import { act } from '../../../memory/operations/activations';
import { add } from '../../../memory/operations/elementwise';
import { firstPosition } from '../../../memory/operations/layout';
import { linear } from '../../../memory/operations/linear';
import { crossEntropy } from '../../../memory/operations/loss';
import { layerNorm } from '../../../memory/operations/norms';
import { MissingPart, type Module } from '../../../memory/tape/module';
import { hold, last } from '../../../memory/tape/tape';
import type { Tensor } from '../../../memory/tape/tensor';
import type { Stack } from '../../../model/architecture';
import type { FamilyForward, Forward } from '../../forward';
import { classifierLoss, pooledByBase } from './classifierHead';
import { firstStack, hasPath } from './expected';

/**
 * `dense`, activation and `norm`, each step by the same name: [batch, positions, width], which has no name yet. Backward keeps the input of
 * each.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bert/modeling_bert.py#L466
 */
export function transformed(dense: Module, norm: Module, activation: string, hidden: Tensor): Tensor {
  let x = hold(linear(dense, hidden));
  x = hold(act(activation, last(x)));
  return layerNorm(norm, last(x));
}

/**
 * A head that is one module with `dense`, a norm and `decoder` (RoBERTa's, MPNet's, ALBERT's): logits [batch, positions, vocabulary].
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/roberta/modeling_roberta.py#L877
 */
export function headModule(head: Module, norm: string, activation: string, hidden: Tensor): Tensor {
  return head.tape.call(head.place, [hidden], () => {
    const x = hold(transformed(head.child('dense'), head.child(norm), activation, hidden));
    return linear(head.child('decoder'), last(x));
  });
}

/**
 * An encoder's forward with labels: the model, the masked-language-model head's logits [batch, positions, vocabulary], counted as logits, and
 * the loss; or a classifier's loss. `model` gives hidden states [batch, positions, width], `head` the logits of them.
 */
export function encoderLoss(
  model: (forward: Forward, stack: Stack) => Tensor,
  head: (root: Module, activation: string, hidden: Tensor) => Tensor,
): FamilyForward {
  return (forward) => {
    const { tape, root, architecture } = forward;
    const stack = firstStack(architecture);
    const { head: facts } = architecture;
    if (facts.kind === 'classifier')
      return tape.frame([], () => {
        const hidden = hold(model(forward, stack));
        return tape.as('logits', () => classifierLoss(forward, facts, hidden));
      });
    if (facts.kind !== 'language-model' || facts.transform === null)
      throw new MissingPart('The model has no masked-language-model head.');
    const { activation } = facts.transform;
    return tape.frame([], () => {
      const hidden = hold(model(forward, stack));
      return tape.as('logits', () => {
        const scores = hold(head(root, activation, hidden));
        const order = orderScores(root, hidden);
        if (order === null) return crossEntropy(scores, null);
        const masked = hold(crossEntropy(scores, null));
        return add(masked, hold(crossEntropy(hold(order), null)));
      });
    });
  };
}

/**
 * The second task of BERT's and ALBERT's pre-training, in which order two texts stand: scores [batch, 2] of the pooled first token; null in
 * classes without it.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bert/modeling_bert.py#L519
 */
function orderScores(root: Module, hidden: Tensor): Tensor | null {
  const judge = ['cls.seq_relationship', 'sop_classifier.classifier'].find((path) => hasPath(root, path));
  return judge === undefined
    ? null
    : linear(root.at(judge), hold(pooledByBase(root, hold(firstPosition(hidden)))));
}
