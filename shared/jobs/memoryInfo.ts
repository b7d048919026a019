import { KiB } from '../units';

/** The main memory of a host; what its kernel does not tell is null. */
export interface MemoryInfo {
  readonly memoryTotalBytes: number | null;
  readonly memoryUsedBytes: number | null;
  readonly memoryAvailableBytes: number | null;
  readonly swapTotalBytes: number | null;
  readonly swapUsedBytes: number | null;
}

/**
 * Main memory from the text of /proc/meminfo (https://man7.org/linux/man-pages/man5/proc_meminfo.5.html). What is in
 * use is what is not available: file caches, which programs can have back, count as available. Kernels before 3.14
 * print no `MemAvailable`; free memory and caches stand in for it.
 */
export function parseMemoryInfo(text: string): MemoryInfo {
  const bytes = (name: string): number | null => {
    const match = new RegExp(`^${name}:\\s*(\\d{1,15}) kB`, 'm').exec(text);
    return match === null ? null : Number(match[1]) * KiB;
  };
  const total = bytes('MemTotal');
  const available = bytes('MemAvailable') ?? sum([bytes('MemFree'), bytes('Buffers'), bytes('Cached')]);
  const swapTotal = bytes('SwapTotal');
  return {
    memoryTotalBytes: total,
    memoryUsedBytes: less(total, available),
    memoryAvailableBytes: available,
    swapTotalBytes: swapTotal,
    swapUsedBytes: less(swapTotal, bytes('SwapFree')),
  };
}

function sum(parts: readonly (number | null)[]): number | null {
  return parts.reduce((total, part) => (total === null || part === null ? null : total + part), 0);
}

function less(total: number | null, rest: number | null): number | null {
  return total === null || rest === null ? null : Math.max(0, total - rest);
}
