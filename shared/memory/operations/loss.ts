/** Losses as transformers computes them. */
import { hold, type Tape } from '../tape/tape';
import { FP32, INT64, type Tensor } from '../tape/tensor';
import { cast } from './elementwise';

/**
 * Next-token loss (`ForCausalLMLoss`): logits in fp32, labels padded by one and shifted.
 * https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/loss/loss_utils.py
 */
export function causalLoss(tape: Tape, logits: Tensor): Tensor {
  return tape.frame([logits], () => {
    const [batch = 1, sequence = 1] = logits.shape;
    const wide = hold(cast(logits, FP32));
    hold(tape.create([batch, sequence + 1], INT64));
    const labels = hold(tape.create([batch, sequence], INT64));
    return crossEntropy(wide, labels);
  });
}

/**
 * `cross_entropy`: log-softmax (keeps its output) and the negative log-likelihood (keeps that, the labels and the number of
 * labels counted). Backward makes a tensor of the logits' size for each. `labels` null: they belong to the batch.
 */
export function crossEntropy(logits: Tensor, labels: Tensor | null): Tensor {
  const { tape } = logits;
  const place = tape.log.place('loss');
  return tape.call(place, [logits, ...(labels === null ? [] : [labels])], () => {
    const input = tape.autocast ? cast(logits, FP32) : logits;
    const { shape, elementBytes } = input;
    const logProbabilities = tape.apply(
      [input],
      [],
      shape,
      elementBytes,
      () => [tape.create(shape, elementBytes)],
      true,
    );
    const node = tape.record([logProbabilities], [logProbabilities, labels], () => [
      tape.create(shape, elementBytes),
    ]);
    const loss = tape.create([1], elementBytes);
    const labelCount = tape.create([1], elementBytes);
    if (node !== null) {
      tape.attach(loss, node, 0);
      tape.save(node, labelCount);
    }
    for (const used of [labelCount, logProbabilities]) tape.consume(used);
    return loss;
  });
}
