import { message } from '../../i18n/message';
import { matchesFormat, numberDetail } from './context';
import type { Message } from '../../i18n/message';
import type { Context } from '../failures/readFailure';
import type { ReadFailure } from '../failures/readFailure';

/** The first failure in the log that can have stopped a rank. */
export function memoryFailure(context: Context): ReadFailure | null {
  const stories = ['gpu-oom', 'host-oom', 'nccl-oom', 'shm', 'driver'];
  return context.log.find((other) => other.role === 'cause' && stories.includes(other.story)) ?? null;
}

export function remote(context: Context): boolean {
  return (
    matchesFormat(context, 'nccl-remote-error', 'gloo-connection-closed') &&
    !matchesFormat(context, 'nccl-watchdog-2.x', 'nccl-watchdog-2.0')
  );
}

export function onlyUnhandled(context: Context): boolean {
  return context.failure.formats.every((format) => format === 'nccl-unhandled-cuda-error');
}

export function sequenceNumbers(context: Context): ReadonlySet<number> {
  const waits = context.log.filter((other) => other.story === 'nccl-wait');
  return new Set(
    waits.map((other) => numberDetail(other, 'sequenceNumber')).filter((number) => number !== null),
  );
}

export function sequenceEvidence(context: Context): Message[] {
  const numbers = [...sequenceNumbers(context)];
  if (numbers.length > 1)
    return [message('doctorEvidence.sequenceNumbersDiffer', { numbers: numbers.slice(0, 6).join(', ') })];
  const [only] = numbers;
  const counts = [...elementCounts(context)];
  if (only !== undefined && counts.length > 1)
    return [
      message('doctorEvidence.elementCountsDiffer', {
        number: String(only),
        counts: counts.slice(0, 6).join(', '),
      }),
    ];
  const operation = String(context.failure.details['operation'] ?? '?');
  return only === undefined
    ? []
    : [message('doctorEvidence.sequenceNumber', { number: String(only), operation })];
}

/** Ranks at one collective whose tensors are of different sizes reduce different things. */
export function numbersOfElementsDiffer(context: Context): boolean {
  return elementCounts(context).size > 1;
}

/** The sizes with which ranks wait at one sequence number; empty where they wait at several. */
export function elementCounts({ log }: Context): ReadonlySet<number> {
  const waits = log.filter((other) => other.story === 'nccl-wait');
  const numbers = new Set(waits.flatMap((other) => numberDetail(other, 'sequenceNumber') ?? []));
  if (numbers.size > 1) return new Set();
  return new Set(waits.flatMap((other) => numberDetail(other, 'inputElements') ?? []));
}
