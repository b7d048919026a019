import * as z from 'zod';
import { offloadNames, precisionNames, strategyNames } from '../memory/configuration';
import { ATTENTION_REQUESTS } from '../memory/operations/attention/request';
import { optimizerNames } from '../memory/training/optimizers';
import { mostConfigCharacters } from '../strategy/wizard/defaults';
import type { PlanAnswers } from '../strategy/wizard/answers';
import { count } from './schemaParts';

const auto = <Choice extends string>(choices: readonly Choice[]) =>
  z.enum<('auto' | Choice)[]>(['auto', ...choices]);

const model = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('catalogue'), id: z.string().min(1).max(64) }),
  z.strictObject({
    kind: z.literal('config'),
    name: z.string().max(200),
    text: z.string().max(mostConfigCharacters),
  }),
  z.strictObject({
    kind: z.literal('sizes'),
    sizes: z.strictObject({
      layers: count,
      hiddenSize: count,
      heads: count,
      keyValueHeads: count,
      intermediateSize: count,
      vocabularySize: count,
      tiedEmbeddings: z.boolean(),
    }),
  }),
]);

const cards = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('detected'),
    memory: z.enum(['free', 'total']),
    leftOut: z.array(z.int().min(0).max(1024)).max(64),
  }),
  z.strictObject({
    kind: z.literal('given'),
    text: z.string().max(1_000),
    cardName: z.string().min(1).max(80).nullable(),
  }),
]);

const wishes = z.strictObject({
  method: z.enum(['full', 'lora', 'qlora']),
  loraRank: count,
  loraTargets: z.union([z.literal('all-linear'), z.array(z.string().min(1).max(64)).min(1).max(32)]),
  loraDropout: z.number().min(0).lt(1),
  doubleQuant: z.boolean(),
  sequence: count,
  globalBatch: count.nullable(),
  microBatch: count.nullable(),
  precision: auto(precisionNames),
  optimizer: auto(optimizerNames),
  checkpointing: z.enum(['auto', 'none', 'full', 'selective']),
  attention: auto(ATTENTION_REQUESTS),
  strategy: auto(strategyNames),
  offload: auto(offloadNames),
});

/** The wizard's answers as they are remembered. They hold no path: a config is its text and the name of its file. */
export const planAnswersSchema: z.ZodType<PlanAnswers> = z.strictObject({
  model,
  cards,
  links: z.enum(['auto', 'pcie', 'nvlink']),
  hostGib: z.number().positive().max(1_000_000).nullable(),
  wishes,
});
