/**
 * One card of `nvidia-smi -q`, as XML or as text: both are trees of named values. Text labels arrive in the spelling
 * of XML names (`FB Memory Usage` is `fb_memory_usage`); each value is looked for under every name it has had in
 * drivers 418 to 610.
 */
import { emptyCard, normalizeBusId, normalizeComputeMode, throttleNames } from './card';
import {
  cellAmount,
  cellBytes,
  cellFlag,
  cellIndex,
  cellNumber,
  cellText,
  cellUtilization,
  cellVersion,
  missingReason,
} from './cell';
import { readFailures } from './failures';
import { FaultCollector, faultProblems } from './faults';
import type { CardReading, MigSlice, Problem } from '../types';

export interface LogElement {
  readonly name: string;
  /** The XML attribute `id`, or the bus id of a text's `GPU …` line. */
  readonly id: string | null;
  readonly children: readonly LogElement[];
  /** The element's own text, trimmed. */
  readonly text: string;
}

/** The first child of that name. */
export function child(element: LogElement | null, name: string): LogElement | null {
  return element?.children.find((candidate) => candidate.name === name) ?? null;
}

/** The text of the element at a path of names, or null where there is none. */
export function textAt(element: LogElement, ...path: readonly string[]): string | null {
  let current: LogElement | null = element;
  for (const name of path) current = child(current, name);
  return current?.text ?? null;
}

type Path = readonly string[];

/** Reads the values of one card, trying the names a value has had, and notes what the driver says instead. */
class Values {
  readonly faults = new FaultCollector();

  constructor(private readonly gpu: LogElement) {}

  read<T>(convert: (cell: string) => T | null, ...paths: readonly Path[]): T | null {
    for (const path of paths) {
      const cell = textAt(this.gpu, ...path);
      if (cell === null || !this.faults.note(path.join('.'), cell)) continue;
      const value = convert(cell);
      if (value !== null) return value;
    }
    return null;
  }

  /** The same at any depth below some groups: driver 610 puts the power limits one level deeper. */
  readBelow<T>(
    convert: (cell: string) => T | null,
    groups: readonly string[],
    names: readonly string[],
  ): T | null {
    const below = groups.flatMap((group) => descendants(child(this.gpu, group)));
    for (const name of names)
      for (const element of below) {
        if (element.name !== name || !this.faults.note(name, element.text)) continue;
        const value = convert(element.text);
        if (value !== null) return value;
      }
    return null;
  }
}

const memoryGroups = ['fb_memory_usage', 'shared_fb_memory_usage', 'memory_usage'];
/** Up to driver 525, and from 535 on. */
const powerGroups = ['gpu_power_readings', 'power_readings'];

function memoryPaths(name: string): Path[] {
  return memoryGroups.map((group) => [group, name]);
}

const throttleGroups = ['clocks_event_reasons', 'clocks_throttle_reasons'];

/** Every element below, at any depth: the text form nests two of the reasons under `HW Slowdown`. */
function descendants(element: LogElement | null): LogElement[] {
  const found: LogElement[] = [];
  const open = [...(element?.children ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    found.push(next);
    for (const inner of next.children) open.push(inner);
  }
  return found;
}

function throttleReasons(gpu: LogElement): string[] {
  const active = throttleGroups
    .flatMap((group) => descendants(child(gpu, group)))
    .filter((element) => cellFlag(element.text) === true)
    .map(({ name }) =>
      name.replace(/^clocks_(?:event|throttle)_reason_/, '').replace('display_clock_', 'display_clocks_'),
    );
  return throttleNames.filter((name) => active.includes(name));
}

/**
 * Uncorrected errors since the driver was loaded: one total in the old scheme (`double_bit`), then SRAM and DRAM, the
 * former split into parity and SEC-DED in newer drivers. Null where ECC is off or not offered.
 */
function eccUncorrectedErrors(gpu: LogElement): number | null {
  const counts = child(child(gpu, 'ecc_errors'), 'volatile');
  if (counts === null) return null;
  const total = cellAmount(textAt(counts, 'double_bit', 'total'));
  if (total !== null) return total;
  const parts = [
    'sram_uncorrectable',
    'sram_uncorrectable_parity',
    'sram_uncorrectable_secded',
    'sram_uncorrectable_sec_ded',
    'dram_uncorrectable',
  ]
    .map((name) => cellAmount(textAt(counts, name)))
    .filter((count) => count !== null);
  return parts.length === 0 ? null : parts.reduce((sum, count) => sum + count, 0);
}

function migSlice(device: LogElement): MigSlice {
  const memory = (name: string) =>
    memoryPaths(name)
      .map((path) => cellBytes(textAt(device, ...path)))
      .find((bytes) => bytes !== null) ?? null;
  return {
    index: cellIndex(textAt(device, 'index')),
    uuid: cellText(textAt(device, 'uuid')),
    profile: null,
    gpuInstance: cellIndex(textAt(device, 'gpu_instance_id')),
    computeInstance: cellIndex(textAt(device, 'compute_instance_id')),
    memoryTotalBytes: memory('total'),
    memoryUsedBytes: memory('used'),
  };
}

/** The card of one `<gpu>` or `GPU …` block; `index` is its place, which `-q` does not print. */
export function readLogCard(gpu: LogElement, index: number): { card: CardReading; problems: Problem[] } {
  const values = new Values(gpu);
  const total = values.read(cellBytes, ...memoryPaths('total'));
  const used = values.read(cellBytes, ...memoryPaths('used'));
  const free = values.read(cellBytes, ...memoryPaths('free'));
  const totalCell =
    memoryGroups.map((group) => textAt(gpu, group, 'total')).find((cell) => cell !== null) ?? null;
  const noTotal = totalCell !== null && totalCell !== '' && missingReason(totalCell) === 'absent';
  const unifiedMemory = total === 0 || (noTotal && used === null && free === null);
  const devices = [...(child(gpu, 'mig_devices')?.children ?? []), ...gpu.children];
  const card: CardReading = {
    ...emptyCard(),
    index,
    uuid: values.read(cellText, ['uuid'], ['gpu_uuid']),
    name: values.read(cellText, ['product_name']),
    pciBusId:
      normalizeBusId(textAt(gpu, 'pci', 'pci_bus_id')) ??
      normalizeBusId(textAt(gpu, 'pci', 'bus_id')) ??
      normalizeBusId(gpu.id),
    memoryTotalBytes: unifiedMemory ? null : total,
    memoryUsedBytes: used,
    memoryFreeBytes: free,
    memoryReservedBytes: values.read(cellBytes, ...memoryPaths('reserved')),
    utilizationPercent: values.read(cellUtilization, ['utilization', 'gpu_util'], ['utilization', 'gpu']),
    temperatureC: values.read(
      cellNumber,
      ['temperature', 'gpu_temp'],
      ['temperature', 'gpu_current_temp'],
      ['temperature', 'gpu'],
    ),
    powerWatts: values.readBelow(cellAmount, powerGroups, [
      'power_draw',
      'average_power_draw',
      'instant_power_draw',
      'instantaneous_power_draw',
    ]),
    powerLimitWatts: values.readBelow(cellAmount, powerGroups, [
      'power_limit',
      'requested_power_limit',
      'current_power_limit',
      'enforced_power_limit',
    ]),
    fanPercent: values.read(cellAmount, ['fan_speed']),
    smClockMHz: values.read(
      cellAmount,
      ['clocks', 'sm_clock'],
      ['clocks', 'sm'],
      ['clocks', 'graphics_clock'],
      ['clocks', 'graphics'],
    ),
    memoryClockMHz: values.read(cellAmount, ['clocks', 'mem_clock'], ['clocks', 'memory']),
    throttleReasons: throttleReasons(gpu),
    eccUncorrectedErrors: eccUncorrectedErrors(gpu),
    persistenceMode: values.read(cellFlag, ['persistence_mode']),
    computeMode: normalizeComputeMode(values.read(cellText, ['compute_mode'])),
    mig: devices.filter(({ name }) => name === 'mig_device').map(migSlice),
  };
  if (cellFlag(textAt(gpu, 'gpu_reset_status', 'reset_required')) === true)
    values.faults.noteRecoveryAction('Reset');
  values.faults.noteRecoveryAction(textAt(gpu, 'gpu_recovery_action'));
  return {
    card,
    problems: [...faultProblems(card, values.faults.faults(unifiedMemory)), ...readFailures(gpu.text)],
  };
}

/** The driver and CUDA versions of a log; 610 calls them KMD and CUDA UMD version. */
export function readVersions(log: LogElement): { driverVersion: string | null; cudaVersion: string | null } {
  const first = (...names: string[]) =>
    names.map((name) => cellVersion(textAt(log, name))).find((version) => version !== null) ?? null;
  return {
    driverVersion: first('driver_version', 'kmd_version'),
    cudaVersion: first('cuda_version', 'cuda_umd_version'),
  };
}
