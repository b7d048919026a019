import { message, type Message, type MessageKey } from '../../i18n/message';
import type { Facts } from '../types';

/** One number of a message with its name, for a table: a size in bytes, or the card's index. */
export interface NamedFact {
  readonly name: Message;
  readonly bytes: number | null;
  readonly index: number | null;
}

const sizes = [
  ['triedBytes', 'doctor.factAsked'],
  ['freeBytes', 'doctor.factFree'],
  ['capacityBytes', 'doctor.factCapacity'],
  ['allocatedBytes', 'doctor.factAllocated'],
  ['reservedBytes', 'doctor.factReserved'],
  ['unallocatedBytes', 'doctor.factUnallocated'],
  ['allowedBytes', 'doctor.factAllowed'],
  ['privatePoolBytes', 'doctor.factPrivatePools'],
  ['thisProcessBytes', 'doctor.factThisProcess'],
] as const satisfies readonly (readonly [keyof Facts, MessageKey])[];

/** The numbers that a message prints, in the order in which they are read; what it does not print is left out. */
export function namedFacts(facts: Facts): NamedFact[] {
  const card: NamedFact[] =
    facts.gpuIndex === null ? [] : [{ name: message('doctor.factCard'), bytes: null, index: facts.gpuIndex }];
  const printed = sizes.flatMap(([fact, key]) =>
    facts[fact] === null ? [] : [{ name: message(key), bytes: facts[fact], index: null }],
  );
  const processes = facts.processes.map(({ pid, bytes }) => ({
    name: message('doctor.factProcess', { pid: String(pid) }),
    bytes,
    index: null,
  }));
  return [...card, ...printed, ...processes];
}
