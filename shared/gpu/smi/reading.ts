import type { GpuReading, OutputFormat } from '../types';

/** A reading that says nothing yet but its format. */
export function emptyReading(format: OutputFormat): GpuReading {
  return {
    format,
    driverVersion: null,
    cudaVersion: null,
    cards: [],
    processes: [],
    links: [],
    problems: [],
  };
}
