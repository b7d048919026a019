/** Tapes to play on, and what they recorded. */
import { H200 } from '../../../../../shared/gpu/models';
import { AllocationLog, allocationOf, isAllocation, isFree } from '../../../../../shared/memory/tape/log';
import { Tape } from '../../../../../shared/memory/tape/tape';
import type { Parameter, Shape } from '../../../../../shared/memory/tape/tensor';

export function newTape(): Tape {
  return new Tape(new AllocationLog(), H200);
}

export function trained(tape: Tape, shape: Shape, elementBytes = 2): Parameter {
  return tape.createParameter('weight', shape, elementBytes, true);
}

export function frozen(tape: Tape, shape: Shape, elementBytes = 2): Parameter {
  return tape.createParameter('frozen', shape, elementBytes, false);
}

/** Events since event `from`: `+bytes` for an allocation, `-bytes` for a free. */
export function eventsSince(tape: Tape, from: number): string[] {
  const { log } = tape;
  const events: string[] = [];
  for (let event = from; event < log.eventCount; event++) {
    const code = log.code(event);
    if (isAllocation(code)) events.push(`+${log.bytes(code)}`);
    else if (isFree(code)) events.push(`-${log.bytes(allocationOf(code))}`);
  }
  return events;
}
