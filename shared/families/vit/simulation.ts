/**
 * ViT and DeiT with a classifier: patches by a convolution, a class token, learned positions, LayerNorm before each branch.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/vit/modeling_vit.py
 */
import { act } from '../../memory/operations/activations';
import { add, dropout, scale } from '../../memory/operations/elementwise';
import { concatenateRows, expand, firstPosition, splitHeads } from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { crossEntropy } from '../../memory/operations/loss';
import { normalize } from '../../memory/operations/norms';
import type { Module } from '../../memory/tape/module';
import { hold, last } from '../../memory/tape/tape';
import type { Tensor } from '../../memory/tape/tensor';
import type { Layer, SoftmaxAttention, Stack } from '../../model/architecture';
import { attend, attentionForm, isWrittenOut } from '../common/simulation/attention';
import { runBlocks } from '../common/simulation/blocks';
import { firstStack, plainLayer } from '../common/simulation/expected';
import { patchEmbeddings } from '../common/simulation/patches';
import type { FamilyForward, Forward } from '../forward';

/**
 * `ViTForImageClassification.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/vit/modeling_vit.py#L522
 */
export const simulateVit: FamilyForward = (forward) => {
  const { tape, root, architecture } = forward;
  const stack = firstStack(architecture);
  return tape.frame([], () => {
    const hidden = hold(vitModel(forward, root.child(root.has('deit') ? 'deit' : 'vit'), stack));
    return tape.as('logits', () => crossEntropy(hold(classify(root, hidden)), null));
  });
};

/** The class token's logits; DeiT's class for a teacher takes the mean of both tokens'. */
function classify(root: Module, hidden: Tensor): Tensor {
  const ofToken = (name: string): Tensor => linear(root.child(name), hold(firstPosition(hidden)));
  if (!root.has('distillation_classifier')) return ofToken('classifier');
  return scale(add(hold(ofToken('cls_classifier')), hold(ofToken('distillation_classifier'))));
}

function vitModel(forward: Forward, model: Module, stack: Stack): Tensor {
  const { tape } = forward;
  return tape.call(model.place, [], () => {
    const embedded = hold(vitEmbeddings(forward, model.child('embeddings'), stack));
    const run = {
      blocks: model.child('layers'),
      layers: stack.layers,
      hidden: embedded,
      named: 'none',
    } as const;
    const hidden = runBlocks(forward, run, (block, layer, x) => vitLayer(forward, block, layer, stack, x));
    return stack.finalNorm === null
      ? hidden
      : normalize(model.child('layernorm'), last(hidden), stack.finalNorm);
  });
}

/**
 * Patches, the class token in front, positions, dropout: [batch, patches and tokens, width].
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/vit/modeling_vit.py#L72
 */
export function vitEmbeddings(forward: Forward, module: Module, stack: Stack): Tensor {
  const { tape, batch } = forward;
  const { hiddenSize } = stack;
  return tape.call(module.place, [], () => {
    const embedded = hold(patchEmbeddings(forward, module.at('patch_embeddings.projection'), stack));
    const tokens = ['cls_token', 'distillation_token']
      .filter((name) => module.parameters.has(name))
      .map((name) => hold(expand(module.parameter(name), [batch, 1, hiddenSize])));
    let hidden = hold(concatenateRows([...tokens, last(embedded)]));
    hidden = hold(add(last(hidden), module.parameter('position_embeddings')));
    return dropout(last(hidden), stack.dropout.embedding);
  });
}

function vitLayer(forward: Forward, block: Module, layer: Layer, stack: Stack, x: Tensor): Tensor {
  const { mixer, feedForward } = plainLayer(layer);
  const { norm } = layer;
  const { residual } = stack.dropout;
  const normed = normalize(block.child('layernorm_before'), x, norm);
  const attended = hold(attention(forward, block.child('attention'), mixer, normed));
  const middle = hold(add(dropout(last(attended), residual), x));
  const normedMiddle = normalize(block.child('layernorm_after'), middle, norm);
  const mlp = block.child('mlp');
  const fed = hold(
    forward.tape.call(mlp.place, [normedMiddle], () =>
      linear(mlp.child('fc2'), act(feedForward.activation, linear(mlp.child('fc1'), normedMiddle))),
    ),
  );
  return add(dropout(last(fed), residual), middle);
}

function attention(forward: Forward, module: Module, facts: SoftmaxAttention, x: Tensor): Tensor {
  const { tape, batch } = forward;
  const { heads, headDim } = facts;
  const [, positions = 1] = x.shape;
  return tape.call(module.place, [x], () => {
    const form = attentionForm(forward, facts, x.elementBytes, false);
    const headed = (name: string): Tensor =>
      hold(splitHeads(linear(module.child(name), x), [batch, heads, positions, headDim], isWrittenOut(form)));
    const query = headed('q_proj');
    const key = headed('k_proj');
    const value = headed('v_proj');
    return linear(module.child('o_proj'), attend(form, facts, { query, key, value, mask: null }));
  });
}
