import { message, type Message } from '../../i18n/message';
import type { Format } from '../format';
import type { Facts, Failure } from '../types';
import { causeText, kindText } from './kinds';

type Words = (text: Message) => string;

/** From here on a cause is stated; below it is called likely, then possible. */
const statedFrom = 0.84;
const likelyFrom = 0.55;

/** How sure a cause is, in a word: a share of a hundred would be read as a part of something. */
export function likelihoodText(confidence: number): Message {
  if (confidence >= statedFrom) return message('doctor.nearlyCertain');
  return confidence >= likelyFrom ? message('doctor.likely') : message('doctor.possible');
}

/**
 * A failure in one sentence: what was wrong and the numbers that say so. The first line that a person reads.
 * @param words translates into the language of whoever reads
 */
export function headlineText(
  { causes: [first], format, kind, meaning, facts, details }: Failure,
  words: Words,
): string {
  if (first === undefined)
    return words(
      meaning === null
        ? kindText(kind)
        : message('doctor.headlineOfKind', { kind: words(kindText(kind)), meaning: words(meaning) }),
    );
  const isFull = first.cause === 'too_small_card_or_batch' || first.cause === 'batch_too_large';
  const special = isFull ? engineFull.get(format) : undefined;
  const cause = words(special === undefined ? causeText(first.cause) : message(special)).replace(
    /[.。]$/,
    '',
  );
  const numbers = numbersOf(facts, details)
    .map(words)
    .reduce(
      (said, next) =>
        said === '' ? next : words(message('doctor.numbersTogether', { numbers: said, next })),
      '',
    );
  const said = numbers === '' ? cause : words(message('doctor.headlineNumbers', { cause, numbers }));
  if (first.confidence >= statedFrom) return words(message('doctor.headlineStated', { said }));
  return first.confidence >= likelyFrom
    ? words(message('doctor.headlineLikely', { said }))
    : words(message('doctor.headlinePossible', { said }));
}

/** Engines that keep a cache of their own: not the card is full, but the part of it that the cache has. */
const engineFull: ReadonlyMap<Format, 'doctor.noRoomForCache' | 'doctor.cacheUsedUp'> = new Map([
  ['vllm-no-cache-blocks', 'doctor.noRoomForCache'],
  ['sglang-memory-pool', 'doctor.noRoomForCache'],
  ['sglang-pool-used-up', 'doctor.cacheUsedUp'],
]);

/** More numbers would bury the sentence; all of them stand below. */
const mostNumbers = 4;

function numbersOf(facts: Facts, details: Failure['details']): readonly Message[] {
  const { gpuIndex, triedBytes, freeBytes, capacityBytes, unallocatedBytes } = facts;
  const detail = (name: string): number | null => {
    const value = details[name];
    return typeof value === 'number' ? value : null;
  };
  const needed = detail('neededBytes');
  const available = detail('availableBytes') ?? detail('cacheBytes');
  const known = [
    gpuIndex === null ? null : message('doctor.numberCard', { index: String(gpuIndex) }),
    triedBytes === null ? null : message('doctor.numberAsked', { bytes: triedBytes }),
    needed === null ? null : message('doctor.numberNeeded', { bytes: needed }),
    available === null ? null : message('doctor.numberAvailable', { bytes: available }),
    freeBytes === null
      ? null
      : capacityBytes === null
        ? message('doctor.numberFree', { bytes: freeBytes })
        : message('doctor.numberFreeOf', { bytes: freeBytes, capacity: capacityBytes }),
    freeBytes !== null || capacityBytes === null
      ? null
      : message('doctor.numberCapacity', { bytes: capacityBytes }),
    unallocatedBytes === null || unallocatedBytes < (triedBytes ?? Infinity)
      ? null
      : message('doctor.numberUnused', { bytes: unallocatedBytes }),
  ];
  return known.filter((text) => text !== null).slice(0, mostNumbers);
}
