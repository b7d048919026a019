import { GiB, MiB, TiB } from '../../units';
import type { Context } from '../failures/readFailure';
import { floors, has, roundingBytes, madeBy } from './context';

/** What the numbers of a card's message say, each as a yes or no; unknown numbers say no. */

/** The request alone is most of the card, and neither free nor unused memory would hold it. */
export function requestIsHuge(context: Context): boolean {
  const { tried, capacity, free, unallocated } = context.failure.quantities;
  if (tried === null || capacity === null || tried <= 0.7 * capacity) return false;
  return free === null || tried > free + (unallocated ?? 0) - roundingBytes;
}

/** The tensors of this process fill the card. */
export function cardIsFullOfOwn(context: Context): boolean {
  return ownShare(context) >= 0.85;
}

/** Share of the card that this process's tensors take; 0 where it is not printed. */
export function ownShare(context: Context): number {
  const { allocated, capacity } = context.failure.quantities;
  return allocated === null || capacity === null || capacity === 0 ? 0 : allocated / capacity;
}

/** Far more is free than was asked for, and no software limit explains it. */
export function freeIsEnough(context: Context): boolean {
  const { tried, free, capacity } = context.failure.quantities;
  if (tried === null || free === null || fractionIsCapped(context)) return false;
  return free > tried + Math.max(floors.freeBytes, floors.freeShare * (capacity ?? 0));
}

/** A per-process limit below the card's size refused the request, not the card. */
export function fractionIsCapped(context: Context): boolean {
  const { tried, free, capacity, allowed } = context.failure.quantities;
  if (allowed === null || capacity === null || allowed > 0.99 * capacity) return false;
  return tried === null || free === null || free > tried - roundingBytes;
}

/** More tensors than the card can hold: the Windows driver has moved some to main memory. */
export function hasSpilled(context: Context): boolean {
  const { allocated, capacity } = context.failure.quantities;
  return allocated !== null && capacity !== null && allocated > capacity + roundingBytes;
}

/** So much is held outside this process that the request would fit without it. */
export function othersHoldMuch(context: Context): boolean {
  const { outside, capacity, tried } = context.failure.quantities;
  // With enough free for the request, what others hold is not why it failed.
  if (outside === null || capacity === null || hasSpilled(context) || freeIsEnough(context)) return false;
  return outside > Math.max(floors.outsideBytes, floors.outsideShare * capacity) && outside >= (tried ?? 0);
}

/** What others hold would not hold the request alone, but with what is free it would. */
export function othersHoldThePart(context: Context): boolean {
  const { outside, capacity, tried, free } = context.failure.quantities;
  if (outside === null || capacity === null || tried === null || free === null) return false;
  if (othersHoldMuch(context) || hasSpilled(context) || free >= tried) return false;
  return outside > Math.max(floors.outsideBytes, floors.outsideShare * capacity) && outside + free >= tried;
}

/** Whether what is reserved and unused would hold the request, were it in one piece. */
export function unallocatedIsEnough(context: Context): boolean {
  const { tried, unallocated } = context.failure.quantities;
  return tried !== null && unallocated !== null && unallocated >= tried - roundingBytes;
}

/** Enough is reserved and unused, if need be with what is free, and no piece of it is large enough. */
export function isFragmented(context: Context): boolean {
  const { tried, free, unallocated, capacity } = context.failure.quantities;
  if (tried === null || unallocated === null || capacity === null) return false;
  const least = Math.max(0.9 * tried, floors.unallocatedShare * capacity, floors.unallocatedBytes);
  const freeBytes = free ?? 0;
  return (
    freeBytes < tried &&
    unallocated >= least - roundingOfSumBytes &&
    freeBytes + unallocated >= tried - roundingOfSumBytes
  );
}

/** What two decimals hide in free + (reserved - allocated): three numbers of GiB, 5.12 MiB in each. */
const roundingOfSumBytes = 15.36 * MiB;

/** Unused reserve that would have helped in part. */
export function isPartlyFragmented(context: Context): boolean {
  const { tried, unallocated, capacity } = context.failure.quantities;
  if (tried === null || unallocated === null || capacity === null || isFragmented(context)) return false;
  return unallocated >= Math.max(0.5 * tried, floors.unallocatedBytes) && !freeIsEnough(context);
}

/**
 * Windows with its display driver model lets a process see the card's whole size (a round number of GiB) and lists no
 * processes; Linux drivers keep a part back, so that a capacity is never round.
 */
export function looksLikeWindows(context: Context): boolean {
  if (has(context, 'windows')) return true;
  const { capacity } = context.failure.quantities;
  const { processes, thisProcessBytes } = context.failure.facts;
  if (
    capacity === null ||
    processes.length > 0 ||
    thisProcessBytes !== null ||
    madeBy(context, 'intel', 'huawei')
  )
    return false;
  return [4, 6, 8, 12].some((gib) => Math.abs(capacity - gib * GiB) < MiB);
}

/** Cards of desktops and workstations; larger ones stand in servers without a screen. */
export function isWorkstationCard(context: Context): boolean {
  const { capacity } = context.failure.quantities;
  return capacity !== null && capacity <= 33 * GiB;
}

export function hasCardNumbers(context: Context): boolean {
  const { capacity, allocated } = context.failure.quantities;
  return capacity !== null && allocated !== null;
}

/** So much that no batch explains it: a length, a shape or an index went wrong. No card has a tenth of it. */
export function requestIsAbsurd({ failure: { quantities } }: Context): boolean {
  const { tried, capacity } = quantities;
  return tried !== null && tried >= Math.max(TiB, 4 * (capacity ?? 0));
}
