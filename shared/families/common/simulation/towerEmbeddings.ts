/** What comes before the layers of CLIP's and SigLIP's towers. */
import { add } from '../../../memory/operations/elementwise';
import { embedding } from '../../../memory/operations/embedding';
import { concatenateRows, expand } from '../../../memory/operations/layout';
import type { Module } from '../../../memory/tape/module';
import { hold, last } from '../../../memory/tape/tape';
import type { Tensor } from '../../../memory/tape/tensor';
import type { Stack } from '../../../model/architecture';
import type { Forward } from '../../forward';
import { imagesOf } from './expected';
import { patchEmbeddings } from './patches';

/**
 * Tokens and positions [batch, length, width], whose indices are a buffer of the model.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/clip/modeling_clip.py#L221
 */
export function textEmbeddings({ tape, batch }: Forward, module: Module, length: number): Tensor {
  return tape.call(module.place, [], () => {
    const tokens = hold(embedding(module.child('token_embedding'), [batch, length], null));
    const positions = hold(embedding(module.child('position_embedding'), [1, length], null));
    return add(tokens, positions);
  });
}

/**
 * Patches, a class token in front where the model has one, and positions: [batch, patches, width].
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/clip/modeling_clip.py#L138
 */
export function imageEmbeddings(forward: Forward, module: Module, stack: Stack): Tensor {
  const { tape, batch } = forward;
  const { extraTokens, patches } = imagesOf(stack);
  return tape.call(module.place, [], () => {
    let hidden = hold(patchEmbeddings(forward, module.child('patch_embedding'), stack));
    if (module.parameters.has('class_embedding')) {
      const token = hold(expand(module.parameter('class_embedding'), [batch, 1, stack.hiddenSize]));
      hidden = hold(concatenateRows([token, hidden]));
    }
    return add(last(hidden), embedding(module.child('position_embedding'), [1, patches + extraTokens], null));
  });
}
