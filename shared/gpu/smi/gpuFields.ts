/**
 * The fields of `--query-gpu` that become part of a card's reading, under every name that drivers 418 to 610 give
 * them (`nvidia-smi --help-query-gpu`). Other fields are known but not kept.
 */
import {
  normalizeBusId,
  normalizeComputeMode,
  throttleNames,
  throttleReasonsOf,
  type CardDraft,
} from './card';
import {
  cellAmount,
  cellBytes,
  cellFlag,
  cellIndex,
  cellMask,
  cellNumber,
  cellText,
  cellUtilization,
} from './cell';

/** Writes a cell's value into the card; leaves the card alone where the cell has none. */
export interface FieldRule {
  /** Of two fields for one value the higher rank wins, whatever their order in the row. */
  readonly rank: number;
  readonly apply: (card: CardDraft, cell: string) => void;
  /** Whether a cell can stand in this column at all; false means that the line is not a row of this query. */
  readonly fits: (cell: string) => boolean;
}

type NumberTarget = {
  [K in keyof CardDraft]: CardDraft[K] extends number | null ? K : never;
}[keyof CardDraft];

const always = () => true;

function number(target: NumberTarget, read: (cell: string) => number | null, rank = 1): FieldRule {
  return {
    rank,
    fits: always,
    apply: (card, cell) => {
      const value = read(cell);
      if (value !== null) card[target] = value;
    },
  };
}

function throttle(name: string): FieldRule {
  return {
    rank: 1,
    fits: always,
    apply: (card, cell) => {
      if (cellFlag(cell) === true && !card.throttleReasons.includes(name))
        card.throttleReasons = [...card.throttleReasons, name];
    },
  };
}

const name: FieldRule = {
  rank: 1,
  fits: always,
  apply: (card, cell) => {
    card.name = cellText(cell) ?? card.name;
  },
};

const uuid: FieldRule = {
  rank: 1,
  fits: (cell) => /^(?:GPU|MIG)-/.test(cell) || cellText(cell) === null,
  apply: (card, cell) => {
    card.uuid = cellText(cell) ?? card.uuid;
  },
};

const busId: FieldRule = {
  rank: 1,
  fits: (cell) => normalizeBusId(cell) !== null || cellText(cell) === null,
  apply: (card, cell) => {
    card.pciBusId = normalizeBusId(cell) ?? card.pciBusId;
  },
};

const index: FieldRule = {
  rank: 1,
  fits: (cell) => cellIndex(cell) !== null || cellText(cell) === null,
  apply: (card, cell) => {
    card.index = cellIndex(cell) ?? card.index;
  },
};

const throttleMask: FieldRule = {
  rank: 2,
  fits: always,
  apply: (card, cell) => {
    const mask = cellMask(cell);
    if (mask !== null) card.throttleReasons = throttleReasonsOf(mask);
  },
};

const rules: readonly (readonly [names: readonly string[], rule: FieldRule])[] = [
  [['index'], index],
  [['name', 'gpu_name'], name],
  [['uuid', 'gpu_uuid'], uuid],
  [['pci.bus_id', 'gpu_bus_id'], busId],
  [['memory.total'], number('memoryTotalBytes', cellBytes)],
  [['memory.used'], number('memoryUsedBytes', cellBytes)],
  [['memory.free'], number('memoryFreeBytes', cellBytes)],
  [['memory.reserved'], number('memoryReservedBytes', cellBytes)],
  [['utilization.gpu'], number('utilizationPercent', cellUtilization)],
  [['temperature.gpu'], number('temperatureC', cellNumber)],
  [['fan.speed'], number('fanPercent', cellAmount)],
  [['power.draw'], number('powerWatts', cellAmount, 3)],
  [['power.draw.average', 'gpu.power.draw.average'], number('powerWatts', cellAmount, 2)],
  [['power.draw.instant', 'gpu.power.draw.instant'], number('powerWatts', cellAmount, 1)],
  [['power.limit', 'gpu.power.requested_limit'], number('powerLimitWatts', cellAmount, 2)],
  [['enforced.power.limit', 'gpu.power.current_limit'], number('powerLimitWatts', cellAmount, 1)],
  [['clocks.sm', 'clocks.current.sm'], number('smClockMHz', cellAmount, 2)],
  [['clocks.gr', 'clocks.current.graphics'], number('smClockMHz', cellAmount, 1)],
  [['clocks.mem', 'clocks.current.memory'], number('memoryClockMHz', cellAmount)],
  [['ecc.errors.uncorrected.volatile.total'], number('eccUncorrectedErrors', cellAmount)],
  [
    ['persistence_mode'],
    {
      rank: 1,
      fits: always,
      apply: (card, cell) => {
        card.persistenceMode = cellFlag(cell);
      },
    },
  ],
  [
    ['compute_mode'],
    {
      rank: 1,
      fits: always,
      apply: (card, cell) => {
        card.computeMode = normalizeComputeMode(cellText(cell));
      },
    },
  ],
  [['clocks_event_reasons.active', 'clocks_throttle_reasons.active'], throttleMask],
  ...throttleNames.map(
    (reason) =>
      [[`clocks_event_reasons.${reason}`, `clocks_throttle_reasons.${reason}`], throttle(reason)] as const,
  ),
];

const ruleByField: ReadonlyMap<string, FieldRule> = new Map(
  rules.flatMap(([names, rule]) => names.map((field) => [field, rule] as const)),
);

export function fieldRule(field: string): FieldRule | null {
  return ruleByField.get(field) ?? null;
}

/** Fields without a place in the reading that are still recognised in a header of `--query-gpu`. */
const otherFields = new Set([
  'timestamp',
  'driver_version',
  'kmd_version',
  'count',
  'serial',
  'gpu_serial',
  'pstate',
  'vbios_version',
  'compute_cap',
  'display_mode',
  'display_active',
  'display_attached',
  'gpu_recovery_action',
  'hostname',
  'edpp_multiplier',
]);

const otherGroups =
  /^(?:pci|pcie|accounting|driver_model|inforom|gom|gpu_operation_mode|clocks|clocks_event_reasons|clocks_throttle_reasons|clocks_event_reasons_counters|memory|utilization|encoder|dramEncryption|ecc|retired_pages|remapped_rows|temperature|power|enforced|gpu|module|mig|gsp|c2c|protected_memory|fabric|platform|power_smoothing|vgpu_driver_capability|vgpu_device_capability)\./;

/** Whether `--query-gpu` knows a field of this name, in any driver. */
export function isGpuField(field: string): boolean {
  return ruleByField.has(field) || otherFields.has(field) || otherGroups.test(field);
}
