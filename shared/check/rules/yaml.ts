import { isMap, isPair, isScalar, isSeq, parseAllDocuments, visit, type Document } from 'yaml';
import { message } from '../../i18n/message';
import type { Hit, RuleText } from '../types';

/** A rule on YAML documents: accelerate's configuration and Kubernetes objects. */
export interface YamlRule extends RuleText {
  readonly hits: (document: Document) => readonly Hit[];
}

/** The documents of a text; broken ones are read as far as they go. */
export function yamlDocuments(source: string): readonly Document[] {
  const documents = parseAllDocuments(source);
  return Array.isArray(documents) ? documents : [];
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
    hits: (document) => {
      const hits: Hit[] = [];
      visit(document, {
        Pair: (_key, pair) => {
          if (!isPair(pair) || !isScalar(pair.key) || pair.key.value !== 'containers' || !isSeq(pair.value))
            return;
          for (const container of pair.value.items) {
            const text = String(container);
            const usesCard = /nvidia\.com\/gpu/.test(text);
            if (usesCard && !/\/dev\/shm/.test(text)) hits.push({ at: pair.key.range?.[0] ?? 0 });
          }
        },
      });
      return hits;
    },
  },
];
