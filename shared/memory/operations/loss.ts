/** The losses that most heads share, as transformers computes them; those of contrastive models are in `similarity.ts`. */
import { lossPlace } from '../tape/places';
import { hold, type Tape } from '../tape/tape';
import { FP32, INT64, type Tensor } from '../tape/tensor';
import { cast } from './elementwise';

/**
 * Next-token loss (`ForCausalLMLoss`): logits in fp32, labels padded by one and shifted.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/loss/loss_utils.py
 */
export function causalLoss(tape: Tape, logits: Tensor): Tensor {
  return tape.frame([logits], () => {
    const [batch = 1, sequence = 1] = logits.shape;
    keepOutput(logits);
    const wide = hold(cast(logits, FP32));
    const padded = hold(tape.create([batch, sequence + 1], INT64));
    // Shifted labels of one sample are contiguous as they are.
    const labels = hold(
      batch === 1 ? tape.share(padded, [1, sequence]) : tape.create([batch, sequence], INT64),
    );
    return crossEntropy(wide, labels);
  });
}

/**
 * `cross_entropy`: log-softmax in the logits' type (keeps its output) and the negative log-likelihood, which autocast runs in
 * fp32 (keeps that, the labels and the number of labels counted). Backward makes a tensor of the logits' size for each.
 * `labels` null: they belong to the batch. `transposed`: the logits are a transposed view, which the kernel copies.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/LossNLL.cpp
 */
export function crossEntropy(logits: Tensor, labels: Tensor | null, transposed = false): Tensor {
  const { tape } = logits;
  return tape.call(tape.log.place(lossPlace), [logits, ...(labels === null ? [] : [labels])], () => {
    const { shape, elementBytes } = logits;
    if (labels === null) keepOutput(logits);
    const narrow = tape.apply(
      [logits],
      [],
      shape,
      elementBytes,
      () => [tape.create(shape, elementBytes)],
      true,
    );
    if (transposed) tape.scratch(narrow.bytes);
    const logProbabilities = tape.autocast ? cast(narrow, FP32) : narrow;
    const lossBytes = logProbabilities.elementBytes;
    const node = tape.record([logProbabilities], [logProbabilities, labels], () => [
      tape.create(shape, lossBytes),
    ]);
    const loss = tape.create([1], lossBytes);
    const labelCount = tape.create([1], lossBytes);
    if (node !== null) {
      tape.attach(loss, node, 0);
      tape.save(node, labelCount);
    }
    for (const used of [labelCount, logProbabilities]) tape.consume(used);
    return loss;
  });
}

/** A pipeline's schedule keeps what the last stage's model gives until that micro-batch's backward has run. */
function keepOutput(logits: Tensor): void {
  const { tape } = logits;
  if (tape.keepsOutput) tape.retained.push(tape.alias(logits));
}
