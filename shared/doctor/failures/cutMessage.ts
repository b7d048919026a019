import { grammars } from '../grammars';
import type { FailureKind, Story } from '../types';

/** What an error about memory or a card is, where its words alone tell it. */
export interface MemoryWords {
  readonly kind: FailureKind;
  readonly story: Story;
}

/**
 * The message about memory that a text breaks off in, as a log does whose writer was killed or a paste that is a line
 * short: the text ends with most of a phrase that only such messages have, or soon behind one. Null where it does not.
 */
export function cutMessageOf(end: string): MemoryWords | null {
  const text = end.trimEnd().toLowerCase();
  const tail = text.slice(-tailCharacters);
  // Of several the longest tells most: `error: out of me` is a card's, `: out of me` anybody's.
  let words: MemoryWords | null = null;
  let longest = 0;
  for (const row of phrases) {
    const length = lengthWithin(text, tail, row.phrase, row.least);
    if (length > longest) [words, longest] = [row.words, length];
  }
  return words;
}

/** A message goes on at most so far behind the phrase that it is known by, up to its first number. */
const tailCharacters = 60;
/** A phrase of fewer characters stands in other messages, too. */
const tellingCharacters = 12;

const stories: ReadonlySet<Story> = new Set<Story>(['gpu-oom', 'host-oom', 'shm', 'nccl-oom']);

/** Shorter beginnings stand in other texts, too. */
const leastCharacters = 9;

/** Endings that many messages have. */
const endings: readonly string[] = [
  'failed: out of memory',
  'out of memory',
  'outofmemoryerror',
  '_status_alloc_failed',
  'out_of_device_memory',
];
const cardIsFull: MemoryWords = { kind: 'oom', story: 'gpu-oom' };
const killed: MemoryWords = { kind: 'host-oom', story: 'host-oom' };

const phrases = [
  ...grammars
    .filter(({ story, role }) => role === 'cause' && stories.has(story))
    .flatMap(({ anchors, kind, story }) =>
      anchors.map((anchor) => ({ phrase: anchor.trim(), words: { kind, story } })),
    ),
  ...endings.map((phrase) => ({ phrase, words: cardIsFull })),
  { phrase: 'signal: killed', words: killed },
].map((row) => ({ ...row, least: Math.max(leastCharacters, Math.ceil(0.7 * row.phrase.length)) }));

/** How much of the phrase the text ends with, or holds near its end; 0 where that is too little. */
function lengthWithin(text: string, tail: string, phrase: string, least: number): number {
  if (phrase.length >= tellingCharacters && tail.includes(phrase)) return phrase.length;
  for (let length = phrase.length - 1; length >= least; length -= 1)
    if (text.endsWith(phrase.slice(0, length))) return length;
  return 0;
}
