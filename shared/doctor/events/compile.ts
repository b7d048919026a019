import { sizePattern } from '../lines/sizes';
import type { GrammarRow } from '../grammars';
import type { CompiledGrammar, Pattern, PlaceholderKind } from '../grammars/grammar';

const placeholderPatterns: Readonly<Record<PlaceholderKind, string>> = {
  size: sizePattern,
  integer: String.raw`\d{1,19}`,
  // A digit or two, or the raw character that PyTorch 2.2 printed in its place.
  index: String.raw`\d{1,3}|[\x00-\x0f\ufffd]?`,
  signed: String.raw`-?\d{1,9}`,
  grouped: String.raw`\d{1,3}(?:,?\d{3}){0,6}`,
  // vLLM prints one unit behind two numbers.
  gib: String.raw`\d{1,6}(?:\.\d{1,6})?`,
  decimal: String.raw`\d{1,9}(?:\.\d{1,9})?`,
  pci: String.raw`[0-9A-Fa-f:.]{4,16}`,
  name: String.raw`[^()'"]{1,40}?`,
  word: String.raw`[A-Za-z0-9_]{1,60}`,
  path: String.raw`[^"'<>|;,]{1,240}?\.(?:cpp|cuh|cu|cc|py|c|h)`,
};

const placeholder = /\{(\w+):(\w+)\}/g;

/**
 * Turns a written pattern into a regular expression, over text without whitespace unless spaces are kept.
 * @throws when a placeholder names a kind that does not exist (a mistake in a grammar, found by its first test)
 */
function compilePattern(written: string, flags: 'gi' | 'i', spaces: 'kept' | 'dropped'): Pattern {
  const kinds: Record<string, PlaceholderKind> = {};
  const text = spaces === 'kept' ? written : written.replace(/ +[?*]?/g, '');
  const source = text.replace(placeholder, (_all, name: string, kind: string) => {
    if (!isPlaceholderKind(kind)) throw new Error(`Unknown placeholder kind "${kind}" in "${written}"`);
    kinds[name] = kind;
    return `(?<${name}>${placeholderPatterns[kind]})`;
  });
  return { expression: new RegExp(source, flags), kinds };
}

export function compileGrammar(grammar: GrammarRow): CompiledGrammar {
  return {
    ...grammar,
    startPattern: compilePattern(grammar.start, 'gi', grammar.by === 'line' ? 'kept' : 'dropped'),
    fieldPatterns: (grammar.fields ?? []).map((field) => compilePattern(field, 'i', 'dropped')),
  };
}

function isPlaceholderKind(kind: string): kind is PlaceholderKind {
  return kind in placeholderPatterns;
}
