import type { Architecture } from '../../../../shared/model/architecture';
import { catalogueEntry } from '../../../../shared/model/catalogue/catalogue';
import { readConfig } from '../../../../shared/families/readModel';
import { readRequest, requestKeys } from '../../../../shared/memory/request';
import { linksOfCard } from '../../../../shared/strategy/links';
import type { PlanCard, PlanQuestion } from '../../../../shared/strategy/types';
import { MiB } from '../../../../shared/units';

export function architectureOf(config: Readonly<Record<string, unknown>>): Architecture {
  const reading = readConfig(config);
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  return reading.architecture;
}

export function catalogued(id: string): Architecture {
  const entry = catalogueEntry(id);
  if (entry === null) throw new Error(`no ${id}`);
  return architectureOf(entry.config);
}

/** A llama of any size, small enough that hundreds of its steps are played in a second. */
export const smallLlama = (hidden: number, layers: number, vocabulary: number): Architecture =>
  architectureOf({
    model_type: 'llama',
    architectures: ['LlamaForCausalLM'],
    hidden_size: hidden,
    intermediate_size: hidden * 3,
    num_hidden_layers: layers,
    num_attention_heads: hidden / 64,
    num_key_value_heads: hidden / 64,
    vocab_size: vocabulary,
    tie_word_embeddings: false,
  });

export const cardsOf = (...mib: readonly number[]): readonly PlanCard[] =>
  mib.map((size, index) => ({ index, totalBytes: size * MiB, freeBytes: size * MiB }));

export function questionOf(
  architecture: Architecture,
  cards: readonly PlanCard[],
  wishes: Readonly<Record<string, unknown>> = {},
  more: Partial<PlanQuestion> = {},
): PlanQuestion {
  const reading = readRequest(wishes, { label: (key) => key, timeline: false });
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  return {
    architecture,
    request: reading.request,
    wished: new Set(requestKeys.filter((key) => key in wishes)),
    cards,
    links: linksOfCard(reading.request.card),
    globalBatch: null,
    hostBytes: null,
    ...more,
  };
}
