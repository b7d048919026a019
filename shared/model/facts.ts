/** Facts of a stack or a head with the usual values filled in, so that a family says only what is its own. */
import { message, type Message } from '../i18n/message';
import type { Dropouts, Head, Inputs } from './architecture';
import type { ModelClass } from './modelClass';

type TokenInputs = Extract<Inputs, { kind: 'tokens' }>;
type LanguageModel = Extract<Head, { kind: 'language-model' }>;

/** A table of tokens as wide as the layers, unless `facts` say otherwise. */
export function tokenInputs(
  vocabularySize: number,
  hiddenSize: number,
  facts: Partial<TokenInputs> = {},
): TokenInputs {
  return {
    kind: 'tokens',
    vocabularySize,
    embeddingSize: hiddenSize,
    scale: null,
    tokenTypes: null,
    norm: null,
    shared: false,
    ...facts,
  };
}

export const noDropout: Dropouts = { embedding: 0, residual: 0, activation: 0, layer: 0 };

/** One product with the vocabulary, for the next token. */
export function languageModelFacts(
  vocabularySize: number,
  tied: boolean,
  facts: Partial<LanguageModel> = {},
): LanguageModel {
  return {
    kind: 'language-model',
    vocabularySize,
    tied,
    bias: false,
    transform: null,
    softCap: null,
    scale: null,
    objective: 'causal',
    ...facts,
  };
}

/**
 * A class is counted as the base model where nobody knows what it adds, and that is said. `counts`: whether what it adds is in the tree; a
 * reader that knows the classes of its family one by one says so itself.
 */
export function classWarnings(
  { kind, name }: ModelClass,
  counts: boolean = kind !== 'unknown',
): readonly Message[] {
  return counts || kind === 'base' ? [] : [message('model.unknownClass', { className: name })];
}
