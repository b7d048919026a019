/** Towers over the patches of an image: what they give to the model that takes them in, and the facts that they share. */
import type { Connector, Layer, Norm, Positions, Stack } from '../../../model/architecture';
import { ConfigFields } from '../../../model/configFields';
import type { ModuleNode, OwnBuffer, OwnTensor } from '../../../model/modules';
import type { Sizes } from '../../declaration';

/** A tower: its stack (with the path inside its module) and the children of its module. */
export interface Tower {
  readonly stack: Stack;
  readonly children: readonly ModuleNode[];
  readonly ownParameters?: readonly OwnTensor[];
  readonly ownBuffers?: readonly OwnBuffer[];
  /** What joins it to the language model, where that is a part of the tower. */
  readonly connector?: Connector;
}

/**
 * The part `name` of a config, over what its class takes where the file is silent; also where the whole part is missing.
 */
export function towerFields(fields: ConfigFields, name: string, defaults: Sizes): ConfigFields {
  const part = fields.part(name) ?? new ConfigFields({}, fields.pathOf(name));
  return part.over(defaults);
}

/**
 * Patches of an image along both sides, multiplied; a part of a patch at the edge is left out, as a convolution does.
 * Refused where `image_size` or `patch_size` is missing.
 */
export function patchCount(fields: ConfigFields): number {
  const image = fields.sides('image_size');
  const patch = fields.sides('patch_size');
  return Math.floor(image[0] / patch[0]) * Math.floor(image[1] / patch[1]);
}

interface PatchFacts {
  readonly hiddenSize: number;
  readonly positions: Positions;
  readonly extraTokens: number;
  readonly layers: readonly Layer[];
  readonly path: string;
  readonly finalNorm: Norm | null;
  /** Stochastic depth where the file names none; 0 where it is not given. */
  readonly dropPath?: number;
}

/** The stack of a tower of patches. Refused where `patch_size` is missing; without `image_size` any number of patches may come. */
export function patchStack(fields: ConfigFields, facts: PatchFacts): Stack {
  const dropout = fields.number('hidden_dropout_prob', 0);
  return {
    role: 'vision',
    path: facts.path,
    hiddenSize: facts.hiddenSize,
    inputs: {
      kind: 'patches',
      patchSize: fields.sides('patch_size')[0],
      channels: fields.sizeOr('num_channels', 3),
      patches: fields.has('image_size') ? patchCount(fields) : null,
      extraTokens: facts.extraTokens,
    },
    positions: facts.positions,
    layers: facts.layers,
    finalNorm: facts.finalNorm,
    maxPositions: null,
    dropout: {
      embedding: dropout,
      residual: dropout,
      activation: 0,
      layer: fields.number('drop_path_rate', facts.dropPath ?? 0),
    },
  };
}
