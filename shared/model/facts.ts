/** Facts of a stack or a head with the usual values filled in, so that a family says only what is its own. */
import type { Dropouts, Head, Inputs } from './architecture';

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
    norm: null,
    ...facts,
  };
}

/** Nothing is dropped. */
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
    transform: null,
    softCap: null,
    scale: null,
    objective: 'causal',
    ...facts,
  };
}
