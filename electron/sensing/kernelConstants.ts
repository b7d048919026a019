/** Units of this kernel, from /proc: clock ticks a second, bytes a page, when it booted. */
import { readFileSync } from 'node:fs';

export interface KernelConstants {
  readonly ticksPerSecond: number;
  readonly pageBytes: number;
  /** Seconds since the epoch. */
  readonly bootTime: number | null;
}

/** Entries of the auxiliary vector: https://man7.org/linux/man-pages/man3/getauxval.3.html */
const auxPageBytes = 6n;
const auxTicksPerSecond = 17n;

/** Reads them once; where /proc does not tell, the values that nearly every kernel has. */
export function readKernelConstants(procFolder: string): KernelConstants {
  const auxiliary = readAuxiliary(`${procFolder}/self/auxv`);
  return {
    ticksPerSecond: auxiliary.get(auxTicksPerSecond) ?? 100,
    pageBytes: auxiliary.get(auxPageBytes) ?? 4096,
    bootTime: readBootTime(`${procFolder}/stat`),
  };
}

function readAuxiliary(path: string): ReadonlyMap<bigint, number> {
  const values = new Map<bigint, number>();
  try {
    const bytes = readFileSync(path);
    // Pairs of machine words, little-endian on every machine that NVIDIA's driver runs on.
    for (let at = 0; at + 16 <= bytes.length; at += 16)
      values.set(bytes.readBigUInt64LE(at), Number(bytes.readBigUInt64LE(at + 8)));
  } catch {
    // No /proc, or one that hides it: the caller has defaults.
    return values;
  }
  return values;
}

function readBootTime(path: string): number | null {
  try {
    const match = /^btime (\d+)$/m.exec(readFileSync(path, 'utf8'));
    return match === null ? null : Number(match[1]);
  } catch {
    // No /proc on this system.
    return null;
  }
}
