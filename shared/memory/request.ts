/**
 * Reads what `headroom estimate` is asked: an object with the command's flags in camelCase, as a line of `--batch` has it. Values
 * that are absent or null take the command's defaults. Every refusal names the key and what was expected.
 */
import { closest } from '../closest';
import { message, type Message } from '../i18n/message';
import { isRecord } from '../model/configFields';
import { gpuModelNamed } from '../gpu/modelNamed';
import { mostTokens } from './check';
import type { EstimateRequest, LowRankSettings, Method } from './configuration';
import {
  defaultAdapters,
  defaultSequence,
  gradientSyncNames,
  offloadNames,
  precisionNames,
  strategyNames,
} from './configuration';
import { memoryInName, ownName } from './outsideNames';
import type { Checkpointing } from './tape/checkpointing';
import { ATTENTION_REQUESTS } from './operations/attention/request';
import { optimizerNames } from './training/optimizers';
import { MiB } from '../units';
import { scheduleNames } from './training/pipeline/schedule';

/** The keys of a request beside `model`. */
export const requestKeys = [
  'method',
  'loraRank',
  'loraAlpha',
  'loraTargets',
  'loraDropout',
  'adapterDtype',
  'doubleQuant',
  'precision',
  'optimizer',
  'microBatch',
  'seq',
  'accumulation',
  'checkpointing',
  'attention',
  'card',
  'gradClip',
  'gradientSync',
  'strategy',
  'world',
  'offload',
  'schedule',
  'expandableSegments',
  'cardMib',
  'contextMib',
] as const;

export type RequestKey = (typeof requestKeys)[number];

/** A request with what is worth a word, or the reason why there is none. */
export type RequestReading =
  | {
      readonly kind: 'request';
      readonly request: EstimateRequest;
      readonly warnings: readonly Message[];
      /** Memory of the named card, which counts where none is given; null: it is sold in several sizes, or none was named. */
      readonly cardMemoryMib: number | null;
    }
  | { readonly kind: 'refused'; readonly reason: Message };

/** Where a request comes from. */
export interface ReadingOptions {
  /** How a key is called where the user wrote it: `microBatch`, or `--micro-batch`. */
  readonly label: (key: RequestKey) => string;
  readonly timeline: boolean;
}

/** More than anyone trains with; beyond, sizes leave what numbers can count exactly, and plays take minutes. */
const mostCount = 131_072;
/** A pebibyte: no card has more. */
const mostMib = 2 ** 30;

/** Reads a request; `model` must have been taken out. */
export function readRequest(value: unknown, options: ReadingOptions): RequestReading {
  try {
    const fields = new Fields(value, options.label);
    const card = fields.text('card');
    const found = card === null ? null : gpuModelNamed(card);
    const request: EstimateRequest = {
      training: {
        method: readMethod(fields),
        precision: fields.choice('precision', precisionNames, 'amp-bf16'),
        optimizer: fields.choice('optimizer', optimizerNames, 'adamw-fused'),
        microBatch: fields.count('microBatch', 1),
        sequence: fields.count('seq', defaultSequence, mostTokens),
        accumulation: fields.count('accumulation', 1),
        checkpointing: readCheckpointing(fields),
        attention: fields.choice('attention', ATTENTION_REQUESTS, 'sdpa'),
        clipGradients: fields.flag('gradClip'),
        gradientSync: fields.optionalChoice('gradientSync', gradientSyncNames),
        reduceType: 'fp32',
        pixels: 'fp32',
      },
      strategy: fields.choice('strategy', strategyNames, 'single'),
      world: fields.count('world', 1),
      offload: fields.choice('offload', offloadNames, 'none'),
      schedule: fields.choice('schedule', scheduleNames, '1f1b'),
      expandableSegments: fields.flag('expandableSegments'),
      card: found?.card ?? null,
      cardMib: fields.sizes('cardMib'),
      contextMib: fields.size('contextMib'),
      timeline: options.timeline,
    };
    const unknownCard =
      found === null || found.known || card === null
        ? []
        : [message('memory.unknownCard', { name: card, nearest: found.nearest })];
    const cardMemoryMib =
      card === null ? null : (memoryInName(card) ?? (found?.known === true ? found.card.memoryMib : null));
    return { kind: 'request', request, warnings: [...unknownCard, ...fields.understood], cardMemoryMib };
  } catch (error) {
    if (error instanceof BadField) return { kind: 'refused', reason: error.reason };
    throw error;
  }
}

/** The request with the memory of the card that it names, where it says nothing of memory; and the sentence that says so. */
export function withCardMemory({ cardMemoryMib, request }: Extract<RequestReading, { kind: 'request' }>): {
  readonly request: EstimateRequest;
  readonly warnings: readonly Message[];
} {
  const { card, cardMib } = request;
  if (cardMib.length > 0 || cardMemoryMib === null || card === null) return { request, warnings: [] };
  return {
    request: { ...request, cardMib: [cardMemoryMib] },
    warnings: [message('memory.cardMemory', { card: card.name, bytes: cardMemoryMib * MiB })],
  };
}

function readMethod(fields: Fields): Method {
  const kind = fields.choice('method', ['full', 'lora', 'qlora'] as const, 'full');
  const rank = fields.count('loraRank', defaultAdapters.rank);
  const adapters: LowRankSettings = {
    rank,
    // As the files that a plan writes have it.
    alpha: fields.count('loraAlpha', 2 * rank),
    targets: fields.targets('loraTargets'),
    dropout: fields.share('loraDropout', defaultAdapters.dropout),
    adapterType: fields.choice('adapterDtype', ['fp32', 'model'] as const, defaultAdapters.adapterType),
  };
  const doubleQuantization = fields.flag('doubleQuant');
  switch (kind) {
    case 'full':
      return { kind };
    case 'lora':
      return { kind, adapters };
    case 'qlora':
      return { kind, adapters, doubleQuantization };
  }
}

function readCheckpointing(fields: Fields): Checkpointing {
  const text = fields.text('checkpointing') ?? 'none';
  const segments = /^segments:(\d{1,4})$/.exec(text);
  if (segments !== null && Number(segments[1]) > 0) return { kind: 'segments', count: Number(segments[1]) };
  if (text === 'none' || text === 'full' || text === 'selective') return { kind: text };
  throw fields.bad('checkpointing', text, 'none, full, selective, segments:N');
}

class BadField extends Error {
  constructor(readonly reason: Message) {
    super(reason.key);
  }
}

/** The keys of one request, each read by its type. */
class Fields {
  /** Names from other programs, and what they became. */
  readonly understood: Message[] = [];
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(
    value: unknown,
    private readonly label: (key: RequestKey) => string,
  ) {
    if (!isRecord(value)) throw new BadField(message('memory.requestNotObject'));
    this.values = value;
    for (const key of Object.keys(value)) this.checkKey(key);
  }

  bad(key: RequestKey, value: unknown, expected: string): BadField {
    return new BadField(
      message('memory.badValue', { name: this.label(key), value: shownValue(value), expected }),
    );
  }

  text(key: RequestKey): string | null {
    const value = this.value(key);
    if (value === null || typeof value === 'string') return value;
    throw this.bad(key, value, '"…"');
  }

  flag(key: RequestKey): boolean {
    const value = this.value(key);
    if (value === null) return false;
    if (typeof value === 'boolean') return value;
    throw this.bad(key, value, 'true, false');
  }

  choice<Choice extends string>(key: RequestKey, choices: readonly Choice[], fallback: Choice): Choice {
    return this.optionalChoice(key, choices) ?? fallback;
  }

  optionalChoice<Choice extends string>(key: RequestKey, choices: readonly Choice[]): Choice | null {
    const value = this.value(key);
    if (value === null) return null;
    const own = typeof value === 'string' ? ownName(key, value) : null;
    const found = choices.find((choice) => choice === (own ?? value));
    if (found !== undefined) {
      if (own !== null)
        this.understood.push(
          message('memory.understood', { name: this.label(key), value: shownValue(value), own }),
        );
      return found;
    }
    throw this.bad(key, value, choices.join(', '));
  }

  count(key: RequestKey, fallback: number, most = mostCount): number {
    const value = this.value(key);
    if (value === null) return fallback;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1)
      throw new BadField(message('memory.badCount', { name: this.label(key), value: shownValue(value) }));
    if (value > most)
      throw new BadField(
        message('memory.countTooLarge', { name: this.label(key), value: shownValue(value), most }),
      );
    return value;
  }

  share(key: RequestKey, fallback: number): number {
    const value = this.value(key);
    if (value === null) return fallback;
    if (typeof value === 'number' && value >= 0 && value < 1) return value;
    throw new BadField(message('memory.badShare', { name: this.label(key), value: shownValue(value) }));
  }

  size(key: RequestKey): number | null {
    const value = this.value(key);
    if (value === null) return null;
    if (typeof value === 'number' && value >= 0 && value <= mostMib) return value;
    throw new BadField(message('memory.badContext', { name: this.label(key), value: shownValue(value) }));
  }

  sizes(key: RequestKey): readonly number[] {
    const value = this.value(key);
    if (value === null) return [];
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    return list.map((entry) => {
      if (typeof entry === 'number' && entry > 0 && entry <= mostMib) return entry;
      throw new BadField(message('memory.badCardSize', { name: this.label(key), value: shownValue(entry) }));
    });
  }

  targets(key: RequestKey): LowRankSettings['targets'] {
    const value = this.value(key);
    if (value === null || value === 'all-linear') return 'all-linear';
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    const names = list.flatMap((entry) => (typeof entry === 'string' && entry !== '' ? [entry] : []));
    if (names.length === list.length && names.length > 0) return names;
    throw this.bad(key, value, 'all-linear, ["q_proj", …]');
  }

  private value(key: RequestKey): unknown {
    return this.values[key] ?? null;
  }

  private checkKey(key: string): void {
    if (requestKeys.some((known) => known === key)) return;
    const near = closest(key, requestKeys);
    throw new BadField(
      near === null
        ? message('memory.unknownKey', { key: key.slice(0, 80) })
        : message('memory.unknownKeyNear', { key: key.slice(0, 80), near }),
    );
  }
}

function shownValue(value: unknown): string {
  // JSON has no word for Infinity.
  return (
    typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value)
  ).slice(0, 80);
}
