/** The CSV answers of the stand-in: `--query-gpu` and `--query-compute-apps`, with any list of fields it knows. */
import type { ObservedCard, ObservedProcess } from './observe';
import { throttle } from './observe';
import type { Scene } from './scene';
import type { CsvFormat } from './smiArguments';

/** What all answers are made from. */
export interface SmiMoment {
  readonly scene: Scene;
  /** The cards that were asked for, with nvidia-smi's own indices. */
  readonly cards: readonly ObservedCard[];
  readonly time: Date;
}

interface Cell {
  readonly text: string;
  readonly unit: string | null;
}
type Field<Row> = (row: Row, moment: SmiMoment) => Cell;

const notAvailable: Cell = { text: '[N/A]', unit: null };
const plain = (text: string | number): Cell => ({ text: String(text), unit: null });
const withUnit = (value: string | number | null, unit: string): Cell =>
  value === null ? { text: '[N/A]', unit: null } : { text: String(value), unit };

/** The error a field may have: nvidia-smi then prints this one line, and nothing of the rest. */
export class UnknownField extends Error {
  constructor(readonly field: string) {
    super(`Field "${field}" is not a valid field to query.\n\n`);
  }
}

const isMig = (card: ObservedCard): boolean => card.card.mig.length > 0;
const active = (card: ObservedCard, bit: bigint): Cell =>
  plain((card.throttleBits & bit) === 0n ? 'Not Active' : 'Active');

const gpuFields: Readonly<Record<string, { unit?: string; cell: Field<ObservedCard> }>> = {
  timestamp: { cell: (_card, moment) => plain(csvTimestamp(moment.time)) },
  driver_version: { cell: (_card, moment) => plain(moment.scene.driverVersion) },
  count: { cell: (_card, moment) => plain(moment.scene.cards.length) },
  index: { cell: (card) => plain(card.index) },
  name: { cell: (card) => plain(card.card.model.name) },
  uuid: { cell: (card) => plain(card.card.uuid) },
  serial: { cell: (card) => plain(card.card.serial ?? '[N/A]') },
  'pci.bus_id': { cell: (card) => plain(card.card.pciBusId) },
  pstate: { cell: (card) => plain(card.performanceState) },
  'memory.total': { unit: 'MiB', cell: (card) => withUnit(card.card.model.memoryTotalMiB, 'MiB') },
  'memory.reserved': { unit: 'MiB', cell: (card) => withUnit(card.card.model.memoryReservedMiB, 'MiB') },
  'memory.used': { unit: 'MiB', cell: (card) => withUnit(card.usedMiB, 'MiB') },
  'memory.free': { unit: 'MiB', cell: (card) => withUnit(card.freeMiB, 'MiB') },
  'utilization.gpu': {
    unit: '%',
    cell: (card) => (isMig(card) ? notAvailable : withUnit(card.utilizationPercent, '%')),
  },
  'utilization.memory': {
    unit: '%',
    cell: (card) => (isMig(card) ? notAvailable : withUnit(card.memoryUtilizationPercent, '%')),
  },
  'temperature.gpu': { cell: (card) => plain(card.temperatureC) },
  'temperature.memory': {
    cell: (card) => (card.card.model.hasEcc ? plain(card.temperatureC - 4) : plain('N/A')),
  },
  'power.draw': { unit: 'W', cell: (card) => withUnit(card.powerWatts.toFixed(2), 'W') },
  'power.limit': { unit: 'W', cell: (card) => withUnit(card.card.model.powerLimitWatts.toFixed(2), 'W') },
  'enforced.power.limit': {
    unit: 'W',
    cell: (card) => withUnit(card.card.model.powerLimitWatts.toFixed(2), 'W'),
  },
  'clocks.current.sm': { unit: 'MHz', cell: (card) => withUnit(card.smClockMHz, 'MHz') },
  'clocks.current.memory': { unit: 'MHz', cell: (card) => withUnit(card.memoryClockMHz, 'MHz') },
  'clocks.max.sm': { unit: 'MHz', cell: (card) => withUnit(card.card.model.maxSmClockMHz, 'MHz') },
  'fan.speed': { unit: '%', cell: (card) => withUnit(card.fanPercent, '%') },
  compute_mode: { cell: () => plain('Default') },
  compute_cap: { cell: (card) => plain(card.card.model.computeCapability) },
  'mig.mode.current': {
    cell: (card) => (card.card.model.hasEcc ? plain(isMig(card) ? 'Enabled' : 'Disabled') : notAvailable),
  },
  persistence_mode: { cell: () => plain('Enabled') },
  display_active: { cell: (card) => plain(card.card.displayActive ? 'Enabled' : 'Disabled') },
  'ecc.mode.current': { cell: (card) => (card.card.model.hasEcc ? plain('Enabled') : notAvailable) },
  'ecc.errors.uncorrected.volatile.total': {
    cell: (card) => (card.card.model.hasEcc ? plain(card.condition.eccUncorrectedErrors) : notAvailable),
  },
  'clocks_event_reasons.active': {
    cell: (card) => plain(`0x${card.throttleBits.toString(16).toUpperCase().padStart(16, '0')}`),
  },
  'clocks_event_reasons.gpu_idle': { cell: (card) => active(card, throttle.idle) },
  'clocks_event_reasons.sw_power_cap': { cell: (card) => active(card, throttle.swPowerCap) },
  'clocks_event_reasons.hw_slowdown': { cell: (card) => active(card, throttle.hwSlowdown) },
  'clocks_event_reasons.sw_thermal_slowdown': { cell: (card) => active(card, throttle.swThermal) },
  'clocks_event_reasons.hw_thermal_slowdown': { cell: (card) => active(card, throttle.hwThermal) },
  'pcie.link.gen.current': { cell: (card) => plain(card.card.model.pcieGeneration) },
  'pcie.link.gen.max': { cell: (card) => plain(card.card.model.pcieGeneration) },
  'pcie.link.width.current': { cell: () => plain(16) },
  'pcie.link.width.max': { cell: () => plain(16) },
  gpu_recovery_action: { cell: () => plain('None') },
};

/** Other names of the same fields, as `--help-query-gpu` lists them. */
const gpuFieldAliases: Readonly<Record<string, string>> = {
  gpu_name: 'name',
  gpu_uuid: 'uuid',
  gpu_serial: 'serial',
  gpu_bus_id: 'pci.bus_id',
  'clocks.sm': 'clocks.current.sm',
  'clocks.mem': 'clocks.current.memory',
  'clocks.max.sm': 'clocks.max.sm',
  'gpu.power.requested_limit': 'power.limit',
  'gpu.power.current_limit': 'enforced.power.limit',
};

interface AppRow {
  readonly card: ObservedCard;
  readonly process: ObservedProcess;
}

const appFields: Readonly<Record<string, { unit?: string; cell: Field<AppRow> }>> = {
  timestamp: { cell: (_row, moment) => plain(csvTimestamp(moment.time)) },
  gpu_name: { cell: ({ card }) => plain(card.card.model.name) },
  gpu_bus_id: { cell: ({ card }) => plain(card.card.pciBusId) },
  gpu_serial: { cell: ({ card }) => plain(card.card.serial ?? '[N/A]') },
  gpu_uuid: { cell: ({ card }) => plain(card.card.uuid) },
  pid: { cell: ({ process }) => plain(process.pid) },
  process_name: { cell: ({ process }) => plain(process.name) },
  used_gpu_memory: { unit: 'MiB', cell: ({ process }) => withUnit(process.usedMiB, 'MiB') },
};
const appFieldAliases: Readonly<Record<string, string>> = {
  name: 'process_name',
  used_memory: 'used_gpu_memory',
};

/** `--query-gpu`: a line for each card. Throws UnknownField. */
export function queryGpu(moment: SmiMoment, fields: readonly string[], format: CsvFormat): string {
  // Drivers know the throttle reasons under their name from before 535 as well.
  const modern = (field: string): string =>
    field.replace(/^clocks_throttle_reasons\./, 'clocks_event_reasons.');
  return csv(
    moment,
    moment.cards,
    fields,
    format,
    gpuFields,
    (field) => gpuFieldAliases[modern(field)] ?? modern(field),
  );
}

/** `--query-compute-apps`: a line for each compute process on each card; without one and a header, nothing at all. */
export function queryComputeApps(moment: SmiMoment, fields: readonly string[], format: CsvFormat): string {
  const rows = moment.cards.flatMap((card) =>
    card.processes.filter(({ type }) => type !== 'G').map((process) => ({ card, process })),
  );
  return csv(moment, rows, fields, format, appFields, (field) => appFieldAliases[field] ?? field);
}

function csv<Row>(
  moment: SmiMoment,
  rows: readonly Row[],
  fields: readonly string[],
  format: CsvFormat,
  known: Readonly<Record<string, { readonly unit?: string; readonly cell: Field<Row> }>>,
  /** The name that the heading gives to a field that has several. */
  usualName: (field: string) => string,
): string {
  const columns = fields.map((asked) => {
    const name = usualName(asked);
    const field = known[name];
    if (field === undefined) throw new UnknownField(asked);
    return { heading: field.unit === undefined ? name : `${name} [${field.unit}]`, cell: field.cell };
  });
  const lines = rows.map((row) => columns.map(({ cell }) => print(cell(row, moment), format)).join(', '));
  const header = format.header ? [columns.map(({ heading }) => heading).join(', ')] : [];
  return [...header, ...lines].map((line) => `${line}\n`).join('');
}

function print({ text, unit }: Cell, format: CsvFormat): string {
  return unit === null || !format.units ? text : `${text} ${unit}`;
}

/** `2026/11/29 14:38:02.129`, in local time as nvidia-smi prints it. */
function csvTimestamp(time: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${time.getFullYear()}/${two(time.getMonth() + 1)}/${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  return `${day} ${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}
