import { GiB, MiB } from '../../units';
import type { Facts, ListedProcess } from '../types';

/**
 * What follows from the numbers of one message; the symbols are those of causes.md (T, C, F, A, R, U, own, O). All in
 * bytes, null where a number is not printed. Prints have two decimals, so nothing here may be compared with `===`.
 */
export interface Quantities {
  readonly tried: number | null;
  readonly capacity: number | null;
  readonly free: number | null;
  readonly allocated: number | null;
  readonly reserved: number | null;
  readonly unallocated: number | null;
  readonly allowed: number | null;
  /** All that the process which failed holds on the card, its CUDA context included. */
  readonly own: number | null;
  /** The listed process that is the failing one under its number outside the container. */
  readonly ownListed: ListedProcess | null;
  /** Held outside this process; an upper bound where only the tensors of this process are known. */
  readonly outside: number | null;
  readonly outsideIsBound: boolean;
  /** Listed processes that are not the failing one. */
  readonly foreign: readonly ListedProcess[];
}

/** A CUDA context with its libraries: what a process holds beside its allocator (measured 0.3 to 2 GiB, NCCL more). */
const largestContext = 3 * GiB;

/** @param fresh whether the numbers are those of the moment of the failure; an earlier line's say only the card's size */
export function quantitiesOf(facts: Facts, fresh: boolean): Quantities {
  const now = (value: number | null): number | null => (fresh ? value : null);
  const capacity = facts.capacityBytes;
  const free = now(facts.freeBytes);
  const allocated = now(facts.allocatedBytes);
  const reserved = now(facts.reservedBytes);
  const printed = plausibleOwn(facts.thisProcessBytes, reserved);
  const ownListed = printed === null ? findSelf(facts.processes, reserved) : null;
  const own = printed ?? ownListed?.bytes ?? null;
  const held = own ?? reserved ?? allocated;
  const outside =
    capacity === null || free === null || held === null ? null : Math.max(0, capacity - free - held);
  return {
    tried: facts.triedBytes,
    capacity,
    free,
    allocated,
    reserved,
    unallocated: now(facts.unallocatedBytes),
    allowed: facts.allowedBytes,
    own,
    ownListed,
    outside,
    outsideIsBound: own === null && reserved === null,
    foreign: facts.processes.filter((listed) => listed !== ownListed),
  };
}

/** Some drivers report 0 bytes for a process whose tensors fill the card; such a number is no number. */
function plausibleOwn(printed: number | null, reserved: number | null): number | null {
  return printed !== null && reserved !== null && printed < reserved - roundingBytes ? null : printed;
}

/** Two decimals at GiB scale hide up to 5 MiB in each number. */
const roundingBytes = 50 * MiB;

/**
 * The allocator compares its own pid with the driver's, which are the host's: in a container it never finds itself
 * and lists itself among the others. Its size then is what the allocator holds plus a context.
 */
function findSelf(processes: readonly ListedProcess[], reserved: number | null): ListedProcess | null {
  if (reserved === null) return null;
  let nearest: ListedProcess | null = null;
  for (const listed of processes) {
    const context = listed.bytes - reserved;
    if (context < -roundingBytes || context > largestContext) continue;
    if (nearest === null || Math.abs(context - GiB / 2) < Math.abs(nearest.bytes - reserved - GiB / 2))
      nearest = listed;
  }
  return nearest;
}
