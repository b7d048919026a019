/**
 * ELECTRA's generator, a masked language model: BERT with tables that may be narrower than its layers.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/electra/modeling_electra.py
 */
import { linear } from '../../memory/operations/linear';
import { hold, last } from '../../memory/tape/tape';
import { bertEmbeddings, bertModel } from '../bert/simulation';
import { encoderLoss, transformed } from '../common/simulation/maskedHead';
import type { FamilyForward } from '../forward';

/**
 * `ElectraForMaskedLM.forward` with labels: the loss. The head's activation is GELU whatever the file says.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/electra/modeling_electra.py#L967
 */
export const simulateElectra: FamilyForward = encoderLoss(
  (forward, stack) => bertModel(forward, forward.root.child('electra'), stack, bertEmbeddings),
  (root, _activation, hidden) => {
    const predictions = root.child('generator_predictions');
    const scores = hold(
      root.tape.call(predictions.place, [hidden], () =>
        transformed(predictions.child('dense'), predictions.child('LayerNorm'), 'gelu', hidden),
      ),
    );
    return linear(root.child('generator_lm_head'), last(scores));
  },
);
