/** A stack of layers with its modules, before a class puts a head on it or another model takes it in. */
import type { Message } from '../i18n/message';
import type { Stack } from './architecture';
import type { ModuleNode, OwnBuffer, OwnTensor } from './modules';
import { group, withBuffers } from './nodes';

/** A stack of layers with its modules, before a class puts a head on it. */
export interface Backbone {
  readonly family: string;
  /** Its `path` is that of the layers' owner inside the base module: empty for llama, `encoder` for BERT. */
  readonly stack: Stack;
  /** Children of the base module in registration order. */
  readonly children: readonly ModuleNode[];
  /** Parameters of the base module itself, such as a class token. */
  readonly ownParameters: readonly OwnTensor[];
  readonly ownBuffers: readonly OwnBuffer[];
  /** Path of the token table inside the base module, for heads that are tied to it. */
  readonly tokenTable: string | null;
  readonly head: HeadStyle;
  readonly warnings: readonly Message[];
}

/** How this family's classes with a head look; the class decides whether there is one. */
export interface HeadStyle {
  /** Attribute that holds the base module: `model`, `transformer`, `gpt_neox`. */
  readonly base: string;
  readonly name: string;
  readonly tied: boolean;
  readonly bias: boolean;
  readonly softCap: number | null;
  readonly scale: number | null;
}

/** A product of its own with the vocabulary, without bias. */
export const llamaHead: HeadStyle = {
  base: 'model',
  name: 'lm_head',
  tied: false,
  bias: false,
  softCap: null,
  scale: null,
};

/** The base module itself, under the name that a class or another model gives it. */
export function baseNode(backbone: Backbone, name: string): ModuleNode {
  return withBuffers(group(name, backbone.children, backbone.ownParameters), backbone.ownBuffers);
}
