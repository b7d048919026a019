/** How much of a machine's processes can be seen from where Headroom runs. Absence proves something only in a whole world. */

/**
 * A part of the world that is out of sight. `otherUsers`: /proc is mounted with hidepid; `otherNamespaces`: Headroom runs in
 * a container or another pid namespace; `someProcesses`: processes are listed whose facts may not be read; `cardProcesses`:
 * the driver does not list every process on a card.
 */
export type HiddenPart = 'otherUsers' | 'otherNamespaces' | 'someProcesses' | 'cardProcesses';

export interface World {
  readonly hidden: ReadonlySet<HiddenPart>;
  /** Pid 1 is the program that the kernel itself started, not the first one of a container. */
  readonly hasMachineInit: boolean;
  /** A process whose parent ended gets another one (Unix); on Windows it goes on to name a pid that is gone. */
  readonly reparents: boolean;
}

/** A machine seen as a whole by a user who may see everything. */
export const wholeWorld: World = { hidden: new Set(), hasMachineInit: true, reparents: true };

export function isWhole({ hidden }: World): boolean {
  return hidden.size === 0;
}
