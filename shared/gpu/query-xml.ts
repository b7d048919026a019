/** `nvidia-smi -q -x`: schemas v8 to v13, drivers 418 to 610, each value under every name it has had. */
import {
  emptyCard,
  emptyProcess,
  normalizeBusId,
  normalizeComputeMode,
  processName,
  processType,
  throttleNames,
} from './card';
import {
  cellAmount,
  cellBytes,
  cellFlag,
  cellIndex,
  cellNumber,
  cellPid,
  cellText,
  cellUtilization,
  missingReason,
} from './cell';
import { readFailures } from './failures';
import { FaultCollector, faultProblems } from './faults';
import { cardName, problem, uniqueProblems } from './problems';
import { emptyReading } from './reading';
import type { CardReading, GpuProcess, GpuReading, MigSlice, Problem } from './types';
import { child, scanXml, textAt, type XmlElement } from './xml';

/** Process names hold raw `<` and `&`. */
const rawElements = new Set(['process_name']);
/** Thousands of lines of clocks, and the one element that some drivers close out of order. */
const skippedElements = new Set(['supported_clocks']);

type Path = readonly string[];

/** Reads the values of one `<gpu>`, trying the names a value has had, and notes what the driver says instead. */
class Values {
  readonly faults = new FaultCollector();

  constructor(private readonly gpu: XmlElement) {}

  read<T>(convert: (cell: string) => T | null, ...paths: readonly Path[]): T | null {
    for (const path of paths) {
      const cell = textAt(this.gpu, ...path);
      if (cell === null || !this.faults.note(path.at(-1) ?? '', cell)) continue;
      const value = convert(cell);
      if (value !== null) return value;
    }
    return null;
  }
}

const memory = 'fb_memory_usage';
/** Up to 525, from 535 on, and `average_`/`instant_` from 570 on. */
const power = ['gpu_power_readings', 'power_readings'];
const throttleGroups = [
  ['clocks_event_reasons', 'clocks_event_reason_'],
  ['clocks_throttle_reasons', 'clocks_throttle_reason_'],
] as const;

function powerPaths(...names: readonly string[]): Path[] {
  return names.flatMap((name) => power.map((group) => [group, name]));
}

function throttleReasons(gpu: XmlElement): string[] {
  return throttleNames.filter((name) =>
    throttleGroups.some(([group, prefix]) => cellFlag(textAt(gpu, group, `${prefix}${name}`)) === true),
  );
}

/**
 * Uncorrected errors since the driver was loaded: one total before Volta's scheme (`double_bit`), then SRAM and DRAM,
 * from 545 on SRAM split into parity and SEC-DED. Null where ECC is off or not offered.
 */
function eccUncorrectedErrors(gpu: XmlElement): number | null {
  const counts = child(child(gpu, 'ecc_errors'), 'volatile');
  if (counts === null) return null;
  const total = cellAmount(textAt(counts, 'double_bit', 'total'));
  if (total !== null) return total;
  const parts = [
    'sram_uncorrectable',
    'sram_uncorrectable_parity',
    'sram_uncorrectable_secded',
    'dram_uncorrectable',
  ]
    .map((name) => cellAmount(textAt(counts, name)))
    .filter((count) => count !== null);
  return parts.length === 0 ? null : parts.reduce((sum, count) => sum + count, 0);
}

function migSlices(gpu: XmlElement): MigSlice[] {
  const devices = child(gpu, 'mig_devices')?.children ?? [];
  return devices
    .filter(({ name }) => name === 'mig_device')
    .map((device) => ({
      index: cellIndex(textAt(device, 'index')),
      uuid: cellText(textAt(device, 'uuid')),
      profile: null,
      gpuInstance: cellIndex(textAt(device, 'gpu_instance_id')),
      computeInstance: cellIndex(textAt(device, 'compute_instance_id')),
      memoryTotalBytes: cellBytes(textAt(device, memory, 'total')),
      memoryUsedBytes: cellBytes(textAt(device, memory, 'used')),
    }));
}

function readCard(gpu: XmlElement, index: number): { card: CardReading; problems: Problem[] } {
  const values = new Values(gpu);
  const totalCell = textAt(gpu, memory, 'total');
  const total = values.read(cellBytes, [memory, 'total']);
  const used = values.read(cellBytes, [memory, 'used']);
  const free = values.read(cellBytes, [memory, 'free']);
  const unified =
    total === 0 ||
    (totalCell !== null && missingReason(totalCell) === 'absent' && used === null && free === null);
  const card: CardReading = {
    ...emptyCard(),
    index,
    uuid: values.read(cellText, ['uuid']),
    name: values.read(cellText, ['product_name']),
    pciBusId: normalizeBusId(textAt(gpu, 'pci', 'pci_bus_id')) ?? normalizeBusId(gpu.id),
    memoryTotalBytes: unified ? null : total,
    memoryUsedBytes: used,
    memoryFreeBytes: free,
    memoryReservedBytes: values.read(cellBytes, [memory, 'reserved']),
    utilizationPercent: values.read(cellUtilization, ['utilization', 'gpu_util']),
    temperatureC: values.read(cellNumber, ['temperature', 'gpu_temp']),
    powerWatts: values.read(
      cellAmount,
      ...powerPaths('power_draw', 'average_power_draw', 'instant_power_draw'),
    ),
    powerLimitWatts: values.read(
      cellAmount,
      ...powerPaths('power_limit', 'requested_power_limit', 'current_power_limit', 'enforced_power_limit'),
    ),
    fanPercent: values.read(cellAmount, ['fan_speed']),
    smClockMHz: values.read(cellAmount, ['clocks', 'sm_clock'], ['clocks', 'graphics_clock']),
    memoryClockMHz: values.read(cellAmount, ['clocks', 'mem_clock']),
    throttleReasons: throttleReasons(gpu),
    eccUncorrectedErrors: eccUncorrectedErrors(gpu),
    persistenceMode: values.read(cellFlag, ['persistence_mode']),
    computeMode: normalizeComputeMode(values.read(cellText, ['compute_mode'])),
    mig: migSlices(gpu),
  };
  if (cellFlag(textAt(gpu, 'gpu_reset_status', 'reset_required')) === true)
    values.faults.noteRecoveryAction('Reset');
  values.faults.noteRecoveryAction(textAt(gpu, 'gpu_recovery_action'));
  return {
    card,
    problems: [...faultProblems(card, values.faults.faults(unified)), ...readFailures(gpu.text)],
  };
}

function readProcesses(gpu: XmlElement, card: CardReading): { processes: GpuProcess[]; problems: Problem[] } {
  const list = child(gpu, 'processes');
  const entries = list?.children.filter(({ name }) => name === 'process_info') ?? [];
  const hidden =
    missingReason(list?.text ?? '') === 'no-permission' ||
    entries.some((entry) => missingReason(textAt(entry, 'pid') ?? '') === 'no-permission');
  const processes = entries
    .map((entry) => ({
      ...emptyProcess(),
      gpuIndex: card.index,
      gpuUuid: card.uuid,
      pid: cellPid(textAt(entry, 'pid')),
      type: processType(textAt(entry, 'type')),
      name: processName(textAt(entry, 'process_name')),
      usedBytes: cellBytes(textAt(entry, 'used_memory')),
      gpuInstance: cellIndex(textAt(entry, 'gpu_instance_id')),
      computeInstance: cellIndex(textAt(entry, 'compute_instance_id')),
    }))
    .filter(({ pid }) => pid !== null);
  return { processes, problems: hidden ? [problem.processesHidden(cardName(card))] : [] };
}

/** The newest document of a text that may hold several (`-q -x -l N`); a cut one only where there is no whole one. */
function newestDocument(root: XmlElement, complete: boolean): { log: XmlElement; cut: boolean } {
  const documents = root.children.filter(({ name }) => name === 'nvidia_smi_log');
  const newest = documents.at(-1);
  if (newest === undefined) return { log: root, cut: true };
  const whole = complete ? newest : documents.at(-2);
  return whole === undefined ? { log: newest, cut: true } : { log: whole, cut: false };
}

/**
 * A whole XML output. A card's index is its place: the format does not print it, and nvidia-smi lists the cards in
 * index order (asked with `-i`, the listed cards are fewer than the attached ones, which is said).
 */
export function readQueryXml(text: string): GpuReading {
  const { root, complete } = scanXml(text, rawElements, skippedElements);
  const { log, cut } = newestDocument(root, complete);
  const gpus = log.children.filter(({ name }) => name === 'gpu');
  const read = gpus.map((gpu, index) => {
    const { card, problems } = readCard(gpu, index);
    const { processes, problems: hidden } = readProcesses(gpu, card);
    return { card, processes, problems: [...problems, ...hidden] };
  });
  const attached = cellIndex(textAt(log, 'attached_gpus'));
  return {
    ...emptyReading('xml'),
    driverVersion: cellText(textAt(log, 'driver_version')) ?? cellText(textAt(log, 'kmd_version')),
    cudaVersion: cellText(textAt(log, 'cuda_version')) ?? cellText(textAt(log, 'cuda_umd_version')),
    cards: read.map(({ card }) => card),
    processes: read.flatMap(({ processes }) => processes),
    problems: uniqueProblems([
      ...read.flatMap(({ problems }) => problems),
      ...readFailures(`${root.text}\n${log === root ? '' : log.text}`),
      ...(cut ? [problem.inputCut()] : []),
      ...(attached !== null && attached > gpus.length ? [problem.cardsMissing(attached, gpus.length)] : []),
    ]),
  };
}
