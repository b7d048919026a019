/** The classifiers of encoders: over each token, over the first one of the input, or over the ends of an answer. */
import { act } from '../../../memory/operations/activations';
import { dropout } from '../../../memory/operations/elementwise';
import { firstPosition } from '../../../memory/operations/layout';
import { linear } from '../../../memory/operations/linear';
import { crossEntropy } from '../../../memory/operations/loss';
import type { Module } from '../../../memory/tape/module';
import { hold, last } from '../../../memory/tape/tape';
import type { Tensor } from '../../../memory/tape/tensor';
import type { Head } from '../../../model/architecture';
import type { Forward } from '../../forward';
import { anyHeadLoss } from '../../unlisted/headByFacts';
import { spanLoss } from './spanLoss';

export type Classifier = Extract<Head, { kind: 'classifier' }>;

/**
 * `…ForTokenClassification`, `…ForSequenceClassification` and `…ForQuestionAnswering` over the encoder's output [batch, positions, width].
 * Backward keeps what dropout and the dense layers read; logits are [batch, positions, labels], or [batch, labels] of one token.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bert/modeling_bert.py#L1268
 */
export function classifierLoss(forward: Forward, facts: Classifier, hidden: Tensor): Tensor {
  const { root } = forward;
  if (facts.over === 'span') {
    if (!root.has('qa_outputs')) return anyHeadLoss(forward, hidden);
    return spanLoss(root.child('qa_outputs'), dropout(hidden, facts.dropout));
  }
  if (!root.has('classifier')) return anyHeadLoss(forward, hidden);
  const classifier = root.child('classifier');
  if (facts.over === 'tokens') {
    const kept = hold(dropout(hidden, facts.dropout));
    return crossEntropy(hold(linear(classifier, kept)), null);
  }
  const logits = classifier.has('out_proj')
    ? ownHead(classifier, facts, hidden)
    : linear(classifier, dropout(pooled(root, facts, hidden), facts.dropout));
  return crossEntropy(hold(logits), null);
}

/**
 * A head of its own with `dense` and `out_proj` (RoBERTa, ELECTRA, MPNet), each step by the same name; tanh, where the facts name nothing.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/roberta/modeling_roberta.py#L1157
 */
function ownHead(head: Module, { dropout: probability, transform }: Classifier, hidden: Tensor): Tensor {
  return head.tape.call(head.place, [hidden], () => {
    let x = hold(firstPosition(hidden));
    x = hold(dropout(last(x), probability));
    x = hold(linear(head.child('dense'), last(x)));
    x = hold(act(transform?.activation ?? 'tanh', last(x)));
    x = hold(dropout(last(x), probability));
    return linear(head.child('out_proj'), last(x));
  });
}

/**
 * The first token through a dense layer, which is the base model's (BERT, ALBERT) or the head's (DistilBERT, DeBERTa, ELECTRA's choice among
 * several). The activations are those that the classes write.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bert/modeling_bert.py#L451
 */
function pooled(root: Module, { dropout: probability, transform }: Classifier, hidden: Tensor): Tensor {
  const first = hold(firstPosition(hidden));
  if (root.has('pre_classifier'))
    return act(transform?.activation ?? 'relu', linear(root.child('pre_classifier'), first));
  if (root.has('sequence_summary'))
    return act(transform?.activation ?? 'gelu', linear(root.at('sequence_summary.summary'), first));
  if (root.has('pooler')) {
    // DeBERTa drops before its dense layer.
    const dense = root.child('pooler').child('dense');
    return act(transform?.activation ?? 'gelu', linear(dense, dropout(first, probability)));
  }
  return pooledByBase(root, first);
}

/** The first token [batch, width] through the base model's own pooler, where it has one. */
export function pooledByBase(root: Module, first: Tensor): Tensor {
  const pooler = root.children.find((child) => child.has('pooler'))?.child('pooler');
  if (pooler === undefined) return first;
  const dense = pooler.has('dense') ? pooler.child('dense') : pooler;
  return act('tanh', linear(dense, first));
}
