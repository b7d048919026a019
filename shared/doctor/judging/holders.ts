import { message } from '../../i18n/message';
import { GiB } from '../../units';
import { has, isDriverWord, matchesFormat, numberDetail } from './context';
import { outside } from './evidence';
import { othersHoldMuch } from './numbers';
import type { Context } from '../failures/readFailure';

export function foreignBytes(context: Context): number {
  return context.failure.quantities.foreign.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Listed processes that hold a CUDA context and nothing else. */
export function bareContexts(context: Context): number {
  return context.failure.quantities.foreign.filter(({ bytes }) => bytes > 0.2 * GiB && bytes < 0.8 * GiB)
    .length;
}

export function ranksThatNameCard0(context: Context): number {
  const ranks = context.log
    .filter((other) => other.facts.gpuIndex === 0 && other.rank !== null)
    .map((other) => other.rank);
  return new Set(ranks).size;
}

/** On a small card a desktop's share is much of it. */
export function isLargeShare(context: Context): boolean {
  const { outside: held, capacity } = context.failure.quantities;
  return held !== null && capacity !== null && held >= 0.15 * capacity && !othersHoldMuch(context);
}

export function desktopSizedShare(context: Context): boolean {
  const { outside: held, outsideIsBound, tried } = context.failure.quantities;
  return held !== null && !outsideIsBound && held >= GiB && held <= 3.5 * GiB && held >= (tried ?? 0);
}

/** The start-up check fell short by about a percent, and only a context's worth was in use. */
export function isShortByLittle(context: Context): boolean {
  const { capacity, free } = context.failure.quantities;
  const desired = numberDetail(context.failure, 'desiredBytes');
  if (capacity === null || free === null || desired === null) return false;
  return desired - free < 0.015 * capacity && capacity - free < 2.6 * GiB;
}

export function firstTouch(context: Context): boolean {
  return (
    (isDriverWord(context) || matchesFormat(context, 'P0-THCudaCheck')) &&
    has(context, 'firstTouchFrame', 'moveModelFrame') &&
    !has(context, 'pinFrame') &&
    context.failure.progress?.phase !== 'training'
  );
}

export function startupEvidence(context: Context) {
  const { free, capacity } = context.failure.quantities;
  return [
    message('doctorEvidence.startup', {
      free,
      capacity,
      desired: numberDetail(context.failure, 'desiredBytes'),
    }),
    ...outside(context).slice(1),
  ];
}

export function processEvidence(context: Context) {
  return [
    message('doctorEvidence.processState', {
      pid: String(context.failure.details['pid'] ?? '?'),
      state: String(context.failure.details['state'] ?? '?'),
    }),
    ...(has(context, 'kernelStackInDriver') ? [message('doctorEvidence.kernelStack')] : []),
  ];
}

/** Processes that were started one after the other, as a launcher starts its ranks. */
export function pidsFollowEachOther(context: Context): boolean {
  const pids = context.failure.quantities.foreign.map(({ pid }) => pid).sort((a, b) => a - b);
  const [first, last] = [pids[0], pids.at(-1)];
  return pids.length >= 2 && first !== undefined && last !== undefined && last - first < 2 * pids.length + 2;
}
