import type { Head, Layer } from '../../../model/architecture';
import { allBias, attentionNode, llamaAttention, softmaxAttention } from '../../../model/attention';
import { type ReadArchitecture, placed } from '../../../model/decoderClasses';
import { noDropout, tokenInputs } from '../../../model/facts';
import { gatedMlp, llamaMlp, mlpNode } from '../../../model/feedForward';
import type { ConfigFields } from '../../../model/configFields';
import { type BuiltLayers, buildLayers, ordinaryParts } from '../../../model/layers';
import type { ModelClass } from '../../../model/modelClass';
import type { ModuleNode } from '../../../model/modules';
import {
  block,
  convolution,
  embedding,
  group,
  indexBuffer,
  laterTensor,
  linear,
  list,
  norm,
  tensor,
  withBuffers,
} from '../../../model/nodes';
import { layerNorm } from '../../../model/norms';
import type { Sizes } from '../../declaration';
import { type Tower, patchCount, patchStack, towerFields } from './patchTower';

/** Which of the two: they differ in norms, biases and heads. */
export type ClipKind = 'clip' | 'siglip';

function towerLayers(fields: ConfigFields, kind: ClipKind, causal: boolean): BuiltLayers {
  const hidden = fields.size('hidden_size');
  const facts: Layer = {
    mixer: softmaxAttention(fields, hidden, { bias: allBias, causal }),
    cross: null,
    feedForward: gatedMlp(fields, {
      gated: false,
      bias: true,
      activation: fields.text('hidden_act', kind === 'clip' ? 'quick_gelu' : 'gelu_pytorch_tanh'),
    }),
    norm: layerNorm,
    placement: 'pre',
    norms: 2,
  };
  return buildLayers(
    fields.layers(),
    () => facts,
    (layer) => clipBlock(layer, hidden, kind),
  );
}

function clipBlock(layer: Layer, hidden: number, kind: ClipKind): ModuleNode {
  const { attention: mixer, mlp: feedForward } = ordinaryParts(layer);
  const names = { ...llamaAttention, output: 'out_proj' };
  const attention = attentionNode(mixer, hidden, { ...names, order: ['key', 'value', 'query', 'output'] });
  const mlp = mlpNode(feedForward, hidden, { ...llamaMlp, up: 'fc1', down: 'fc2' });
  const first = norm('layer_norm1', hidden, layer.norm);
  const second = norm('layer_norm2', hidden, layer.norm);
  return block(kind === 'clip' ? [attention, first, mlp, second] : [first, attention, second, mlp]);
}

function clipText(fields: ConfigFields, kind: ClipKind): Tower {
  const hidden = fields.size('hidden_size');
  const rows = fields.sizeOr('max_position_embeddings', kind === 'clip' ? 77 : 64);
  const vocabularySize = fields.size('vocab_size');
  const { layers, nodes } = towerLayers(fields, kind, kind === 'clip');
  return {
    stack: {
      role: 'encoder',
      path: 'encoder',
      hiddenSize: hidden,
      inputs: tokenInputs(vocabularySize, hidden),
      positions: { kind: 'learned' },
      layers,
      finalNorm: layerNorm,
      maxPositions: rows,
      dropout: noDropout,
    },
    children: [
      withBuffers(
        group('embeddings', [
          embedding('token_embedding', vocabularySize, hidden),
          embedding('position_embedding', rows, hidden),
        ]),
        [indexBuffer('position_ids', 1, rows)],
      ),
      group('encoder', [list('layers', nodes)]),
      norm('final_layer_norm', hidden, layerNorm),
      ...(kind === 'siglip' ? [linear('head', hidden, fields.sizeOr('projection_size', hidden), true)] : []),
    ],
  };
}

/** CLIP's or SigLIP's vision tower. Refused where `image_size` or `patch_size` is missing. */
export function clipVision(fields: ConfigFields, kind: ClipKind): Tower {
  const hidden = fields.size('hidden_size');
  const patch = fields.sides('patch_size');
  const patches = patchCount(fields);
  const channels = fields.sizeOr('num_channels', 3);
  const isClip = kind === 'clip';
  const rows = isClip ? patches + 1 : patches;
  const { layers, nodes } = towerLayers(fields, kind, false);
  return {
    stack: patchStack(fields, {
      hiddenSize: hidden,
      positions: { kind: 'learned' },
      extraTokens: isClip ? 1 : 0,
      layers,
      path: 'encoder',
      finalNorm: layerNorm,
    }),
    children: [
      withBuffers(
        group(
          'embeddings',
          [
            convolution('patch_embedding', channels, hidden, patch, !isClip),
            embedding('position_embedding', rows, hidden),
          ],
          isClip ? [tensor('class_embedding', hidden)] : [],
        ),
        [indexBuffer('position_ids', 1, rows)],
      ),
      // The name is misspelt in transformers.
      ...(isClip ? [norm('pre_layrnorm', hidden, layerNorm)] : []),
      group('encoder', [list('layers', nodes)]),
      norm('post_layernorm', hidden, layerNorm),
      ...(isClip || !fields.flag('vision_use_head', true) ? [] : [attentionPooling(fields, hidden)]),
    ],
  };
}

/** SigLIP's head: one learned query attends to all patches, then an MLP. */
function attentionPooling(fields: ConfigFields, hidden: number): ModuleNode {
  const mlp = gatedMlp(fields, { gated: false, bias: true });
  return group(
    'head',
    [
      group(
        'attention',
        [linear('out_proj', hidden, hidden, true)],
        [tensor('in_proj_weight', 3 * hidden, hidden), tensor('in_proj_bias', 3 * hidden)],
      ),
      norm('layernorm', hidden, layerNorm),
      mlpNode(mlp, hidden, { ...llamaMlp, up: 'fc1', down: 'fc2' }),
    ],
    [tensor('probe', 1, 1, hidden)],
  );
}

const bare = (modelClass: ModelClass): Pick<ReadArchitecture, 'className' | 'connectors' | 'warnings'> => ({
  className: modelClass.name,
  connectors: [],
  warnings: [],
});

/** One tower alone, with its projection where the class has it. */
function oneTower(
  tower: Tower,
  fields: ConfigFields,
  modelClass: ModelClass,
  kind: ClipKind,
  names: { readonly holder: string; readonly projection: string },
): ReadArchitecture {
  if (modelClass.kind !== 'with-projection')
    return {
      ...bare(modelClass),
      family: kind,
      stacks: [tower.stack],
      head: { kind: 'none' },
      modules: group('', tower.children),
    };
  const size = fields.sizeOr('projection_dim', 512);
  return {
    ...bare(modelClass),
    family: kind,
    stacks: [placed(tower.stack, names.holder)],
    head: { kind: 'projection' },
    modules: group('', [
      group(names.holder, tower.children),
      linear(names.projection, tower.stack.hiddenSize, size),
    ]),
  };
}

export const readText =
  (kind: ClipKind) =>
  (fields: ConfigFields, modelClass: ModelClass): ReadArchitecture =>
    oneTower(clipText(textPart(fields), kind), textPart(fields), modelClass, kind, {
      holder: 'text_model',
      projection: 'text_projection',
    });

export const readVision =
  (kind: ClipKind) =>
  (fields: ConfigFields, modelClass: ModelClass): ReadArchitecture =>
    oneTower(clipVision(fields, kind), fields, modelClass, kind, {
      holder: 'vision_model',
      projection: 'visual_projection',
    });

/** Some files of a text tower carry the whole model's config. */
const textPart = (fields: ConfigFields): ConfigFields => fields.part('text_config') ?? fields;

/** The two towers, whose parts are read over `defaults`. */
export function both(
  fields: ConfigFields,
  modelClass: ModelClass,
  kind: ClipKind,
  defaults: { readonly text: Sizes; readonly vision: Sizes },
): ReadArchitecture {
  const vision = clipVision(towerFields(fields, 'vision_config', defaults.vision), kind);
  if (modelClass.kind === 'image-classification') {
    const { labels } = modelClass;
    const head: Head = { kind: 'classifier', labels, over: 'input', transform: null, dropout: 0 };
    return {
      ...bare(modelClass),
      family: kind,
      stacks: [placed(vision.stack, 'vision_model')],
      head,
      modules: group('', [
        group('vision_model', vision.children),
        linear('classifier', vision.stack.hiddenSize, labels, true),
      ]),
    };
  }
  const text = clipText(towerFields(fields, 'text_config', defaults.text), kind);
  const size = fields.sizeOr('projection_dim', 512);
  const towers = [group('text_model', text.children), group('vision_model', vision.children)];
  return {
    ...bare(modelClass),
    family: kind,
    stacks: [placed(text.stack, 'text_model'), placed(vision.stack, 'vision_model')],
    head: { kind: 'contrastive' },
    modules:
      kind === 'clip'
        ? group(
            '',
            [
              ...towers,
              linear('visual_projection', vision.stack.hiddenSize, size),
              linear('text_projection', text.stack.hiddenSize, size),
            ],
            [laterTensor('logit_scale')],
          )
        : group('', towers, [laterTensor('logit_scale', 1), laterTensor('logit_bias', 1)]),
  };
}
