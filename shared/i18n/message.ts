/**
 * A text for people, as data: a catalogue key and its values. Domain code returns Messages; only the edge (a view,
 * the command, a dialog) turns them into words, so the same fact can be told in any language.
 */
import type { catalogue as english } from './en';
import type { PluralForms } from './plural';

export type Catalogue = typeof english;
type Area = keyof Catalogue & string;

/** 'area.name' of every entry of the catalogue. */
export type MessageKey = { [A in Area]: `${A}.${keyof Catalogue[A] & string}` }[Area];

/** One entry: a template, or the forms of a plural chosen by `count`. Placeholders are `{name}`, `{name:format}` or `{from~to:format}`. */
export type Entry = string | PluralForms;

type EntryOf<K extends MessageKey> = K extends `${infer A}.${infer N}`
  ? A extends Area
    ? N extends keyof Catalogue[A]
      ? Catalogue[A][N]
      : never
    : never
  : never;
type TemplateOf<E> = E extends string ? E : E extends { readonly other: infer O extends string } ? O : never;
type NameOf<P extends string> = P extends `${infer N}:${string}` ? EndsOf<N> : EndsOf<P>;
type EndsOf<N extends string> = N extends `${infer From}~${infer To}` ? From | To : N;
type Placeholders<S extends string> = S extends `${string}{${infer P}}${infer Rest}`
  ? NameOf<P> | Placeholders<Rest>
  : never;

export type MessageValue = string | number | null;

/** The values that a key's template needs; plural entries always need `count`. */
export type ValuesOf<K extends MessageKey> = {
  readonly [
    P in Placeholders<TemplateOf<EntryOf<K>>> | (EntryOf<K> extends string ? never : 'count')
  ]: MessageValue;
};

export interface Message {
  readonly key: MessageKey;
  readonly values: Readonly<Record<string, MessageValue>>;
}

/** Builds a Message; the compiler refuses a key that is not in the catalogue and values that do not fit it. */
export function message<K extends MessageKey>(
  key: K,
  ...values: keyof ValuesOf<K> extends never ? [] : [ValuesOf<K>]
): Message {
  return { key, values: values[0] ?? {} };
}

/** Whether a value of unknown origin is a Message, for edges that walk whole answers. */
export function isMessage(value: unknown): value is Message {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { key?: unknown }).key === 'string' &&
    typeof (value as { values?: unknown }).values === 'object' &&
    Object.keys(value).length === 2
  );
}
