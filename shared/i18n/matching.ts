import type { Catalogue, Entry } from './message';

/** The shape another language's area must have: the same keys, each a template or plural forms. */
export type Matching<EnglishArea> = { readonly [K in keyof EnglishArea]: Entry };
export type MatchingCatalogue = { readonly [A in keyof Catalogue]: Matching<Catalogue[A]> };
