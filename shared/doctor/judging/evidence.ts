import { message, type Message } from '../../i18n/message';
import type { Context } from '../failures/readFailure';

/** Evidence that several rules give; each is empty where the numbers it needs are not printed. */

export function requestAndFree(context: Context): Message[] {
  const { tried, free } = context.failure.quantities;
  if (tried === null || free === null) return [];
  return [message('doctorEvidence.requestAndFree', { tried, free })];
}

export function ownTensors(context: Context): Message[] {
  const { allocated, capacity } = context.failure.quantities;
  if (allocated === null || capacity === null || capacity === 0) return [];
  return [message('doctorEvidence.ownTensors', { allocated, capacity, share: (100 * allocated) / capacity })];
}

export function requestOfCard(context: Context): Message[] {
  const { tried, capacity } = context.failure.quantities;
  if (tried === null || capacity === null || capacity === 0) return [];
  if (tried >= capacity) return [message('doctorEvidence.requestOverCard', { tried, capacity })];
  return [message('doctorEvidence.requestOfCard', { tried, capacity, share: (100 * tried) / capacity })];
}

export function littleUnallocated(context: Context): Message[] {
  const { unallocated, tried } = context.failure.quantities;
  if (unallocated === null || (tried !== null && unallocated >= tried)) return [];
  return [message('doctorEvidence.littleUnallocated', { unallocated })];
}

export function outside(context: Context): Message[] {
  const { outside: bytes, outsideIsBound, capacity, foreign } = context.failure.quantities;
  const listed = foreign
    .slice(0, 4)
    .map(({ pid, bytes: held }) => message('doctorEvidence.processHolds', { pid: String(pid), held }));
  if (bytes === null || capacity === null) return listed;
  const key = outsideIsBound ? 'doctorEvidence.outsideAtMost' : 'doctorEvidence.outside';
  return [message(key, { outside: bytes, capacity }), ...listed];
}

/** In a container the list shows the failing process itself under a number of the host. */
export function selfInList(context: Context): Message[] {
  const self = context.failure.quantities.ownListed;
  return self === null
    ? []
    : [message('doctorEvidence.selfInList', { pid: String(self.pid), held: self.bytes })];
}

export function progressAt(context: Context): Message[] {
  const { progress } = context.failure;
  if (progress === null) return [];
  const { done, total } = progress;
  switch (progress.phase) {
    case 'training':
      return total === null
        ? [message('doctorEvidence.trainingStep', { done })]
        : [message('doctorEvidence.trainingStepOf', { done, total })];
    case 'evaluation':
      return [message('doctorEvidence.evaluationStep', { done, total })];
    case 'loading':
      return [message('doctorEvidence.loadingStep', { done, total })];
  }
}
