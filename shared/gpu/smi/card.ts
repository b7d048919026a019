/** Cards and processes as parsers build them: everything unknown at first, then filled cell by cell. */
import type { CardReading, GpuProcess, MigSlice } from '../types';

export type CardDraft = { -readonly [K in keyof Omit<CardReading, 'mig'>]: CardReading[K] } & {
  readonly mig: MigSlice[];
};

export function emptyCard(): CardDraft {
  return {
    index: null,
    uuid: null,
    name: null,
    pciBusId: null,
    memoryTotalBytes: null,
    memoryUsedBytes: null,
    memoryFreeBytes: null,
    memoryReservedBytes: null,
    utilizationPercent: null,
    temperatureC: null,
    powerWatts: null,
    powerLimitWatts: null,
    fanPercent: null,
    smClockMHz: null,
    memoryClockMHz: null,
    throttleReasons: [],
    eccUncorrectedErrors: null,
    persistenceMode: null,
    computeMode: null,
    mig: [],
  };
}

export function emptyProcess(): GpuProcess {
  return {
    gpuIndex: null,
    gpuUuid: null,
    pid: null,
    type: null,
    name: null,
    usedBytes: null,
    gpuInstance: null,
    computeInstance: null,
  };
}

/**
 * A PCI bus id in nvidia-smi's long form, upper case: `00000000:0B:00.0`. sysfs and older tools write four digits of
 * domain, lspci none. Null where the text is not a bus id.
 */
export function normalizeBusId(text: string | null | undefined): string | null {
  const match = /^\s*(?:([0-9a-f]{1,8}):)?([0-9a-f]{1,2}):([0-9a-f]{1,2})\.([0-7])\s*$/i.exec(text ?? '');
  if (match === null) return null;
  const [, domain = '', bus = '', device = '', functionNumber = ''] = match;
  return `${domain.padStart(8, '0')}:${bus.padStart(2, '0')}:${device.padStart(2, '0')}.${functionNumber}`.toUpperCase();
}

/** Compute modes in one spelling; the table shortens them (`E. Process`). */
export function normalizeComputeMode(text: string | null): string | null {
  if (text === null) return null;
  const plain = text
    .trim()
    .toLowerCase()
    .replace(/[^a-z]/g, '');
  switch (plain) {
    case 'default':
      return 'Default';
    case 'eprocess':
    case 'exclusiveprocess':
      return 'Exclusive_Process';
    case 'ethread':
    case 'exclusivethread':
      return 'Exclusive_Thread';
    case 'prohibited':
      return 'Prohibited';
    default:
      return null;
  }
}

/**
 * Bits of `clocks_event_reasons.active` (nvml.h, nvmlClocksEventReasons; `clocks_throttle_reasons` before driver 535).
 * Bit 0, gpu_idle, is left out: an idle card is not held down.
 */
const throttleBits: readonly (readonly [number, string])[] = [
  [0x2, 'applications_clocks_setting'],
  [0x4, 'sw_power_cap'],
  [0x8, 'hw_slowdown'],
  [0x10, 'sync_boost'],
  [0x20, 'sw_thermal_slowdown'],
  [0x40, 'hw_thermal_slowdown'],
  [0x80, 'hw_power_brake_slowdown'],
  [0x100, 'display_clocks_setting'],
];

export const throttleNames: readonly string[] = throttleBits.map(([, name]) => name);

export function throttleReasonsOf(mask: number): string[] {
  return throttleBits.filter(([bit]) => (mask & bit) !== 0).map(([, name]) => name);
}

/** Some process titles stand for "no name": the process is gone, or its name may not be read. */
const namelessTitles = new Set([
  '',
  '-',
  '(null)',
  'n/a',
  '[n/a]',
  'unknown error',
  '[unknown error]',
  'insufficient permissions',
  '[insufficient permissions]',
  '[not found]',
  'not found',
  '[not supported]',
  '[no data]',
]);

/** The name of a process, or null where nvidia-smi gives none. Titles in brackets (`[celeryd: …]`) are names. */
export function processName(cell: string | null | undefined): string | null {
  const name = (cell ?? '').trim();
  return namelessTitles.has(name.toLowerCase()) ? null : name;
}

/** C, G, C+G, and M+C where MPS serves; null for anything else. */
export function processType(cell: string | null | undefined): string | null {
  const type = (cell ?? '').trim().toUpperCase();
  return /^(?:[CGM]\+)?[CGM]$/.test(type) ? type : null;
}
