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

/** A class that no reader knows is counted as the base model, and said. */
export function classWarnings(modelClass: ModelClass): readonly Message[] {
  return modelClass.kind === 'unknown' ? [message('model.unknownClass', { className: modelClass.name })] : [];
}
