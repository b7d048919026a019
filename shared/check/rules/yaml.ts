import {
  Composer,
  isMap,
  isPair,
  isScalar,
  isSeq,
  isNode,
  Lexer,
  Parser,
  visit,
  type CST,
  type Document,
} from 'yaml';
import { message } from '../../i18n/message';
import { mostYamlAliases, mostYamlCharacters, mostYamlLevels, OverLimit, refuseLonger } from '../limits';
import type { Hit, RuleText } from '../types';

/** A rule on YAML documents: accelerate's configuration and Kubernetes objects. */
export interface YamlRule extends RuleText {
  readonly hits: (document: Document, source: string) => readonly Hit[];
}

/**
 * The documents of a text; broken ones are read as far as they go. Throws OverLimit for one that is too long or nests too
 * deep, before anything is composed of it: composing is recursive, and resolves every alias by a walk through the text.
 */
export function yamlDocuments(source: string): readonly Document[] {
  refuseLonger(source, mostYamlCharacters);
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let aliases = 0;
  const check = (level: number): void => {
    if (level > mostYamlLevels)
      throw new OverLimit(message('check.overYamlLevels', { limit: mostYamlLevels }), parser.offset);
    if (aliases > mostYamlAliases)
      throw new OverLimit(message('check.overAliases', { limit: mostYamlAliases }), parser.offset);
  };
  for (const lexeme of new Lexer().lex(source)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (lexeme.startsWith('&') || lexeme.startsWith('*')) aliases += 1;
    check(parser.stack.length);
  }
  for (const token of parser.end()) tokens.push(token);
  return [...new Composer().compose(tokens, true, source.length)];
}

function scalar(document: Document, key: string): { readonly value: unknown; readonly at: number } | null {
  if (!isMap(document.contents)) return null;
  const pair = document.contents.items.find((item) => isScalar(item.key) && item.key.value === key);
  return pair !== undefined && isScalar(pair.key) && isScalar(pair.value)
    ? { value: pair.value.value, at: pair.key.range?.[0] ?? 0 }
    : null;
}

export const yamlRules: readonly YamlRule[] = [
  {
    rule: 'processes-do-not-match-cards',
    severity: 'warning',
    message: message('check.processesMismatch', { processes: 0, cards: 0 }),
    why: message('check.processesMismatchWhy'),
    better: 'gpu_ids: 0,1\nnum_processes: 2',
    hits: (document) => {
      const processes = scalar(document, 'num_processes');
      const ids = scalar(document, 'gpu_ids');
      const machines = scalar(document, 'num_machines');
      if (
        processes === null ||
        ids === null ||
        typeof processes.value !== 'number' ||
        ids.value === 'all' ||
        ids.value === null
      )
        return [];
      const cards =
        String(ids.value)
          .split(',')
          .filter((id) => id.trim() !== '').length *
        (typeof machines?.value === 'number' ? machines.value : 1);
      return processes.value === cards
        ? []
        : [
            {
              at: processes.at,
              message: message('check.processesMismatch', { processes: processes.value, cards }),
            },
          ];
    },
  },
  {
    rule: 'pod-without-shm',
    severity: 'warning',
    message: message('check.podShm'),
    why: message('check.podShmWhy'),
    better:
      'volumes: [{ name: shm, emptyDir: { medium: Memory } }]\nvolumeMounts: [{ name: shm, mountPath: /dev/shm }]',
    hits: (document, source) => {
      const hits: Hit[] = [];
      visit(document, {
        Pair: (_key, pair) => {
          if (!isPair(pair) || !isScalar(pair.key) || pair.key.value !== 'containers' || !isSeq(pair.value))
            return;
          for (const container of pair.value.items) {
            const [from = 0, to = 0] = isNode(container) ? (container.range ?? []) : [];
            const text = source.slice(from, to);
            if (text.includes('nvidia.com/gpu') && !text.includes('/dev/shm'))
              hits.push({ at: pair.key.range?.[0] ?? 0 });
          }
        },
      });
      return hits;
    },
  },
];
