/**
 * RoBERTa and XLM-RoBERTa with a masked-language-model head: BERT's layers; positions count the tokens that are no padding.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/roberta/modeling_roberta.py
 */
import { embedding } from '../../memory/operations/embedding';
import type { Module } from '../../memory/tape/module';
import { hold, release } from '../../memory/tape/tape';
import { BOOL, INT32, INT64, type Tensor } from '../../memory/tape/tensor';
import type { Stack } from '../../model/architecture';
import { bertModel, sumOfTables } from '../bert/simulation';
import { encoderLoss, headModule } from '../common/simulation/maskedHead';
import type { FamilyForward, Forward } from '../forward';

/**
 * `RobertaForMaskedLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/roberta/modeling_roberta.py#L792
 */
export const simulateRoberta: FamilyForward = encoderLoss(
  (forward, stack) => bertModel(forward, forward.root.child('roberta'), stack, robertaEmbeddings),
  (root, _activation, hidden) => headModule(root.child('lm_head'), 'layer_norm', 'gelu', hidden),
);

function robertaEmbeddings(forward: Forward, module: Module, stack: Stack): Tensor {
  const { tape, batch, sequence } = forward;
  const shape = [batch, sequence];
  return tape.call(module.place, [], () => {
    const positions = hold(paddedPositions(forward));
    const tokenTypes = hold(tape.create(shape, INT64));
    const words = hold(embedding(module.child('word_embeddings'), shape, null));
    const types = hold(embedding(module.child('token_type_embeddings'), shape, tokenTypes));
    return sumOfTables(module, words, types, shape, positions, stack.dropout.embedding);
  });
}

/**
 * `create_position_ids_from_input_ids`: the running count of tokens that are no padding, padding left out, plus an offset: int64 [batch,
 * sequence]. `steps`: what is done to the count on the way, each making a tensor of int32.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/roberta/modeling_roberta.py#L142
 */
export function paddedPositions(
  { tape, batch, sequence }: Forward,
  steps: readonly string[] = ['plus what came before', 'times the mask'],
): Tensor {
  const shape = [batch, sequence];
  return tape.frame([], () => {
    const isToken = tape.create(shape, BOOL);
    hold(tape.create(shape, INT32));
    release(isToken);
    const counted = tape.create(shape, INT64);
    tape.scratch(batch * sequence * INT64);
    let indices = tape.create(shape, INT32);
    release(counted);
    for (const _step of steps) {
      const next = tape.create(shape, INT32);
      release(indices);
      indices = next;
    }
    hold(indices);
    const wide = tape.create(shape, INT64);
    const positions = tape.create(shape, INT64);
    release(wide);
    return positions;
  });
}
