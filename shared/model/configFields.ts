/**
 * The fields of one config, read by the name that most families use; older families' names for the same thing are tried
 * after it. A null counts as missing. A value of the wrong type is refused with its name, never guessed.
 */
import { message } from '../i18n/message';
import { UnreadableModel } from './unreadableModel';

const otherNames: Readonly<Record<string, readonly string[]>> = {
  hidden_size: ['n_embd', 'n_embed', 'd_model', 'dim', 'embed_dim'],
  num_hidden_layers: ['n_layer', 'n_layers', 'num_layers', 'depth'],
  num_attention_heads: ['n_head', 'n_heads', 'num_heads', 'attention_heads'],
  num_key_value_heads: ['num_kv_heads', 'n_head_kv', 'multi_query_group_num', 'n_kv_heads'],
  intermediate_size: ['n_inner', 'ffn_hidden_size', 'ffn_dim', 'd_ff'],
  vocab_size: ['padded_vocab_size', 'n_vocab'],
  max_position_embeddings: [
    'n_positions',
    'max_seq_len',
    'seq_length',
    'max_sequence_length',
    'model_max_length',
    'context_length',
    'n_ctx',
  ],
  hidden_act: ['hidden_activation', 'activation_function', 'activation', 'act_fn'],
  attention_dropout: ['attn_pdrop', 'attention_probs_dropout_prob', 'attn_dropout'],
  num_experts: ['num_local_experts', 'n_routed_experts', 'moe_num_experts'],
  moe_intermediate_size: ['expert_ffn_hidden_size'],
  num_experts_per_tok: ['moe_topk', 'moe_k', 'num_experts_per_token', 'moe_top_k'],
};

/** All names of the field that `name` is one of. */
function sameField(name: string): readonly string[] {
  const group = Object.entries(otherNames).find(([first, others]) => first === name || others.includes(name));
  return group === undefined ? [name] : [group[0], ...group[1]];
}

/** Larger sizes are typing errors; the limits keep what is built from a file small. */
const maxSize = 1e9;
const maxLayers = 2_000;
const maxHeads = 65_536;
const maxExperts = 20_000;

/** What may be repeated as modules has lower limits than what is only a width. */
const limits: readonly (readonly [RegExp, number])[] = [
  [/^((vt_)?num_(hidden_|decoder_|global_)?layers|(encoder|decoder)_layers|depth|n_layers?)$/, maxLayers],
  [/^(num_hidden_groups|inner_group_num)$/, maxLayers],
  [/^((vt_)?num_(attention_|key_value_|kv_)?heads|n_heads?|(encoder_|decoder_)?attention_heads)$/, maxHeads],
  [/^(num_(local_)?experts|n_routed_experts|moe_num_experts)$/, maxExperts],
];

const limitOf = (name: string): number => limits.find(([pattern]) => pattern.test(name))?.[1] ?? maxSize;

type Values = Readonly<Record<string, unknown>>;

/** Whether a value of JSON is an object. */
export function isRecord(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value for a message: short, and recognisable as what stood in the file. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? `"${value}"` : Array.isArray(value) ? '[...]' : String(value);
  return isRecord(value) ? '{...}' : text.length > 40 ? `${text.slice(0, 40)}...` : text;
}

/** One config, or a part of one, read by name. */
export class ConfigFields {
  /**
   * @param values the parsed object
   * @param path where it stands in the file, such as `text_config`; empty for the whole file
   */
  constructor(
    readonly values: Values,
    readonly path = '',
  ) {}

  /** The value under the name or one of its other names; undefined where it is absent or null. */
  find(name: string): { readonly name: string; readonly value: unknown } | undefined {
    for (const candidate of [name, ...(otherNames[name] ?? [])]) {
      const value = this.values[candidate];
      if (value !== undefined && value !== null) return { name: candidate, value };
    }
    return undefined;
  }

  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  /** A whole number from 1 up. Where it is missing the config is refused. */
  size(name: string): number {
    const size = this.optionalSize(name);
    if (size !== null) return size;
    throw this.missing(name);
  }

  missing(name: string): UnreadableModel {
    return new UnreadableModel(message('model.fieldMissing', { field: this.pathOf(name) }));
  }

  /** A whole number from 1 up, or the fallback where it is missing. */
  sizeOr<F extends number | null>(name: string, fallback: F): number | F {
    return this.optionalSize(name) ?? fallback;
  }

  optionalSize(name: string): number | null {
    const found = this.find(name);
    if (found === undefined) return null;
    const limit = limitOf(found.name);
    if (isWhole(found.value, limit + 1, maxSize))
      throw new UnreadableModel(
        message('model.expectedAtMost', { field: this.pathOf(found.name), found: found.value, limit }),
      );
    if (!isWhole(found.value, 1, limit)) throw this.wrong(found.name, found.value, 'model.expectedWhole');
    return found.value;
  }

  /** A whole number from 0 up (0 switches things off, as in `n_shared_experts: 0`). */
  count(name: string, fallback: number): number {
    const found = this.find(name);
    if (found === undefined) return fallback;
    if (!isWhole(found.value, 0, maxSize)) throw this.wrong(found.name, found.value, 'model.expectedWhole');
    return found.value;
  }

  layers(name = 'num_hidden_layers'): number {
    return this.size(name);
  }

  experts(name = 'num_experts', fallback?: number): number {
    return fallback === undefined ? this.size(name) : this.sizeOr(name, fallback);
  }

  number(name: string, fallback: number): number;
  number(name: string, fallback: null): number | null;
  number(name: string, fallback: number | null): number | null {
    const found = this.find(name);
    if (found === undefined) return fallback;
    if (typeof found.value !== 'number' || Number.isNaN(found.value))
      throw this.wrong(found.name, found.value, 'model.expectedNumber');
    return found.value;
  }

  flag(name: string, fallback: boolean): boolean {
    const found = this.find(name);
    if (found === undefined) return fallback;
    // Some files have 0 and 1, as Python takes them.
    if (found.value === 0 || found.value === 1) return found.value === 1;
    if (typeof found.value !== 'boolean') throw this.wrong(found.name, found.value, 'model.expectedFlag');
    return found.value;
  }

  text(name: string, fallback: string): string {
    const found = this.find(name);
    if (found === undefined) return fallback;
    if (typeof found.value !== 'string') throw this.wrong(found.name, found.value, 'model.expectedText');
    return found.value;
  }

  list(name: string): readonly unknown[] | null {
    const found = this.find(name);
    if (found === undefined) return null;
    if (!Array.isArray(found.value)) throw this.wrong(found.name, found.value, 'model.expectedList');
    return found.value;
  }

  /** A list of names, one for each layer, such as `layer_types`; null where it is missing. */
  names(name: string): readonly string[] | null {
    const list = this.list(name);
    if (list === null) return null;
    return list.map((item) => {
      if (typeof item !== 'string') throw this.wrong(name, item, 'model.expectedText');
      return item;
    });
  }

  /** A list of whole numbers from 0 up. */
  wholes(name: string): readonly number[] | null {
    const list = this.list(name);
    if (list === null) return null;
    return list.map((item) => {
      if (!isWhole(item, 0, maxSize)) throw this.wrong(name, item, 'model.expectedWhole');
      return item;
    });
  }

  /** One size for every layer, or a list with one each: the size of layer `index`; null where it is missing. */
  sizeOfLayer(name: string, index: number): number | null {
    const found = this.find(name);
    if (found === undefined) return null;
    const value: unknown = Array.isArray(found.value) ? found.value[index] : found.value;
    if (!isWhole(value, 1, maxSize)) throw this.wrong(found.name, value, 'model.expectedWhole');
    return value;
  }

  /** Height and width of an image or patch, given as one number or as a pair. Where they are missing the config is refused. */
  sides(name: string): readonly [number, number] {
    const found = this.find(name);
    if (found === undefined) throw this.missing(name);
    const sides: unknown[] = Array.isArray(found.value) ? found.value : [found.value, found.value];
    const [height, width] = sides;
    if (!isWhole(height, 1, maxSize) || !isWhole(width, 1, maxSize))
      throw this.wrong(found.name, found.value, 'model.expectedWhole');
    return [height, width];
  }

  /** A config inside this one; null where it is missing. */
  part(name: string): ConfigFields | null {
    const found = this.find(name);
    if (found === undefined) return null;
    if (!isRecord(found.value)) throw this.wrong(found.name, found.value, 'model.expectedObject');
    return new ConfigFields(found.value, this.pathOf(found.name));
  }

  /** These fields over a class's defaults, for parts: transformers leaves out of them what equals the default. */
  over(defaults: Values): ConfigFields {
    const missing = Object.entries(defaults).filter(
      ([name]) => !sameField(name).some((other) => Object.hasOwn(this.values, other)),
    );
    return new ConfigFields({ ...Object.fromEntries(missing), ...this.values }, this.path);
  }

  wrong(
    name: string,
    value: unknown,
    expected:
      | 'model.expectedWhole'
      | 'model.expectedNumber'
      | 'model.expectedFlag'
      | 'model.expectedText'
      | 'model.expectedList'
      | 'model.expectedObject'
      | 'model.expectedLayerKind',
  ): UnreadableModel {
    return new UnreadableModel(message(expected, { field: this.pathOf(name), found: shown(value) }));
  }

  pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }
}

function isWhole(value: unknown, lowest: number, highest: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= lowest && value <= highest;
}
