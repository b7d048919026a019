/** What nvidia-smi is asked for, and how a question changes when a driver does not know one of its fields. */

/** `name` is the one text that may hold a comma; the reader finds it by its place. */
const gpuFields: readonly string[] = [
  'timestamp',
  'count',
  'index',
  'uuid',
  'pci.bus_id',
  'name',
  'driver_version',
  'memory.total',
  'memory.reserved',
  'memory.used',
  'memory.free',
  'utilization.gpu',
  'temperature.gpu',
  'power.draw',
  'power.limit',
  'fan.speed',
  'clocks.sm',
  'clocks.mem',
  'clocks_event_reasons.active',
  'ecc.errors.uncorrected.volatile.total',
  'persistence_mode',
  'compute_mode',
  'gpu_recovery_action',
];

const appFields: readonly string[] = ['timestamp', 'gpu_uuid', 'pid', 'process_name', 'used_gpu_memory'];

/** The same value under the name that older drivers know it by. */
const olderNames: Readonly<Record<string, string>> = {
  'clocks_event_reasons.active': 'clocks_throttle_reasons.active',
  used_gpu_memory: 'used_memory',
};

/** The fields of one query that this driver has not refused; a refused one is asked no more. */
export class FieldList {
  private names: readonly string[];

  constructor(names: readonly string[]) {
    this.names = names;
  }

  static forCards(): FieldList {
    return new FieldList(gpuFields);
  }

  static forApps(): FieldList {
    return new FieldList(appFields);
  }

  fields(): readonly string[] {
    return this.names;
  }

  /** Leaves out a field, or asks for it under its older name. False where the field was not asked for. */
  refuse(field: string): boolean {
    if (!this.names.includes(field)) return false;
    this.names = this.names.flatMap((name) => (name === field ? (olderNames[name] ?? []) : [name]));
    return this.names.length > 0;
  }
}

export interface LoopQuestion {
  readonly query: 'gpu' | 'compute-apps';
  readonly fields: readonly string[];
  readonly intervalMs: number;
  /** Bus ids of the cards to ask, where one that is lost would spoil the answer for all; null: all. */
  readonly only: readonly string[] | null;
}

/** The arguments of a query that goes on until it is ended. */
export function loopArguments({ query, fields, intervalMs, only }: LoopQuestion): readonly string[] {
  return [
    `--query-${query}=${fields.join(',')}`,
    '--format=csv,noheader,nounits',
    ...(only === null ? [] : [`--id=${only.join(',')}`]),
    ...(intervalMs % 1000 === 0 ? ['-l', String(intervalMs / 1000)] : ['-lms', String(intervalMs)]),
  ];
}
