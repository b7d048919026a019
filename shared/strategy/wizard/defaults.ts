/** What the wizard starts with: an answer for every step, so that a plan is there before anything is chosen. */
import { defaultAdapters, defaultSequence } from '../../memory/configuration';
import type { ModelSizes, PlanAnswers, PlanWishes } from './answers';

export const defaultWishes: PlanWishes = {
  method: 'full',
  loraRank: defaultAdapters.rank,
  loraTargets: defaultAdapters.targets,
  loraDropout: defaultAdapters.dropout,
  doubleQuant: false,
  sequence: defaultSequence,
  globalBatch: null,
  microBatch: null,
  precision: 'auto',
  optimizer: 'auto',
  checkpointing: 'auto',
  attention: 'auto',
  strategy: 'auto',
  offload: 'auto',
};

/** The sizes of a common 8B model, to change from. */
export const defaultSizes: ModelSizes = {
  layers: 32,
  hiddenSize: 4096,
  heads: 32,
  keyValueHeads: 8,
  intermediateSize: 14336,
  vocabularySize: 128_256,
  tiedEmbeddings: false,
};

export const defaultAnswers: PlanAnswers = {
  model: { kind: 'catalogue', id: 'llama-3.1-8b' },
  cards: { kind: 'detected', memory: 'free', leftOut: [] },
  links: 'auto',
  hostGib: null,
  wishes: defaultWishes,
};

/** What a first hypothetical set is. */
export const defaultGivenCards = '2 x 24 GiB';

/** Characters of a config that is kept from one start to the next. Larger ones list how every tensor is quantised. */
export const mostConfigCharacters = 256 * 1024;

/** The answers as they are kept: a config that is too large for that is used, but the next start begins with another model. */
export function rememberedAnswers(answers: PlanAnswers): PlanAnswers {
  const { model } = answers;
  const isTooLarge = model.kind === 'config' && model.text.length > mostConfigCharacters;
  return isTooLarge ? { ...answers, model: defaultAnswers.model } : answers;
}
