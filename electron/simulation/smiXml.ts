/** `nvidia-smi -q -x` of the stand-in, in the layout of drivers since 535 (nvsmi_device_v12/v13). */
import type { ObservedCard, ObservedProcess } from './observe';
import { throttle } from './observe';
import type { SceneMigSlice } from './scene';
import type { SmiMoment } from './smiCsv';

/** An element: its text, or its children. */
type Xml = readonly [name: string, content: string | readonly Xml[], attributes?: string];

/** The whole document for the cards that were asked for. */
export function queryXml(moment: SmiMoment): string {
  const body = write(
    [
      'nvidia_smi_log',
      [
        ['timestamp', longTimestamp(moment.time)],
        ['driver_version', moment.scene.driverVersion],
        ['cuda_version', moment.scene.cudaVersion],
        ['attached_gpus', String(moment.scene.cards.length)],
        ...moment.cards.map(gpu),
      ],
    ],
    '',
  );
  return `<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">\n${body}`;
}

function gpu(observed: ObservedCard): Xml {
  const { card } = observed;
  const { model } = card;
  const migMode = model.hasEcc ? (card.mig.length > 0 ? 'Enabled' : 'Disabled') : 'N/A';
  return [
    'gpu',
    [
      ['product_name', model.name],
      ['product_brand', model.brand],
      ['product_architecture', model.architecture],
      ['display_attached', card.displayActive ? 'Yes' : 'No'],
      ['display_active', card.displayActive ? 'Enabled' : 'Disabled'],
      ['persistence_mode', 'Enabled'],
      [
        'mig_mode',
        [
          ['current_mig', migMode],
          ['pending_mig', migMode],
        ],
      ],
      [
        'mig_devices',
        card.mig.length === 0 ? 'None' : card.mig.map((slice, at) => migDevice(observed, slice, at)),
      ],
      ['serial', card.serial ?? 'N/A'],
      ['uuid', card.uuid],
      ['minor_number', String(card.minorNumber)],
      ['gpu_recovery_action', 'None'],
      ['pci', pci(observed)],
      ['fan_speed', unit(observed.fanPercent, '%')],
      ['performance_state', observed.performanceState],
      ['clocks_event_reasons', eventReasons(observed)],
      [
        'fb_memory_usage',
        [
          ['total', unit(model.memoryTotalMiB, 'MiB')],
          ['reserved', unit(model.memoryReservedMiB, 'MiB')],
          ['used', unit(observed.usedMiB, 'MiB')],
          ['free', unit(observed.freeMiB, 'MiB')],
        ],
      ],
      ['compute_mode', 'Default'],
      ['utilization', utilization(observed)],
      [
        'ecc_mode',
        [
          ['current_ecc', model.hasEcc ? 'Enabled' : 'N/A'],
          ['pending_ecc', model.hasEcc ? 'Enabled' : 'N/A'],
        ],
      ],
      ['ecc_errors', [['volatile', eccErrors(observed)]]],
      [
        'temperature',
        [
          ['gpu_temp', unit(observed.temperatureC, 'C')],
          ['memory_temp', model.hasEcc ? unit(observed.temperatureC - 4, 'C') : 'N/A'],
        ],
      ],
      [
        'gpu_power_readings',
        [
          ['power_state', observed.performanceState],
          ['average_power_draw', unit(observed.powerWatts.toFixed(2), 'W')],
          ['instant_power_draw', unit(observed.powerWatts.toFixed(2), 'W')],
          ['current_power_limit', unit(model.powerLimitWatts.toFixed(2), 'W')],
          ['requested_power_limit', unit(model.powerLimitWatts.toFixed(2), 'W')],
          ['default_power_limit', unit(model.powerLimitWatts.toFixed(2), 'W')],
        ],
      ],
      [
        'clocks',
        [
          ['graphics_clock', unit(observed.smClockMHz, 'MHz')],
          ['sm_clock', unit(observed.smClockMHz, 'MHz')],
          ['mem_clock', unit(observed.memoryClockMHz, 'MHz')],
        ],
      ],
      [
        'max_clocks',
        [
          ['sm_clock', unit(model.maxSmClockMHz, 'MHz')],
          ['mem_clock', unit(model.memoryClockMHz, 'MHz')],
        ],
      ],
      ['processes', observed.processes.map(processInfo)],
    ],
    `id="${card.pciBusId}"`,
  ];
}

function pci({ card }: ObservedCard): readonly Xml[] {
  const generation = String(card.model.pcieGeneration);
  return [
    ['pci_bus_id', card.pciBusId],
    [
      'pci_gpu_link_info',
      [
        [
          'pcie_gen',
          [
            ['max_link_gen', generation],
            ['current_link_gen', generation],
          ],
        ],
        [
          'link_widths',
          [
            ['max_link_width', '16x'],
            ['current_link_width', '16x'],
          ],
        ],
      ],
    ],
  ];
}

function eventReasons(observed: ObservedCard): readonly Xml[] {
  const reasons = {
    gpu_idle: throttle.idle,
    sw_power_cap: throttle.swPowerCap,
    hw_slowdown: throttle.hwSlowdown,
    hw_thermal_slowdown: throttle.hwThermal,
    sw_thermal_slowdown: throttle.swThermal,
  };
  return Object.entries(reasons).map(([name, bit]) => [
    `clocks_event_reason_${name}`,
    (observed.throttleBits & bit) === 0n ? 'Not Active' : 'Active',
  ]);
}

function utilization(observed: ObservedCard): readonly Xml[] {
  const hidden = observed.card.mig.length > 0;
  return [
    ['gpu_util', hidden ? 'N/A' : unit(observed.utilizationPercent, '%')],
    ['memory_util', hidden ? 'N/A' : unit(observed.memoryUtilizationPercent, '%')],
  ];
}

function eccErrors({ card, condition }: ObservedCard): readonly Xml[] {
  const count = (value: number): string => (card.model.hasEcc ? String(value) : 'N/A');
  return [
    ['sram_correctable', count(0)],
    ['sram_uncorrectable_parity', count(0)],
    ['sram_uncorrectable_secded', count(0)],
    ['dram_correctable', count(0)],
    ['dram_uncorrectable', count(condition.eccUncorrectedErrors)],
  ];
}

function migDevice(observed: ObservedCard, slice: SceneMigSlice, at: number): Xml {
  const used = migUsedMiB(observed, slice);
  return [
    'mig_device',
    [
      ['index', String(at)],
      ['gpu_instance_id', String(slice.gpuInstance)],
      ['compute_instance_id', String(slice.computeInstance)],
      ['device_attributes', [['shared', [['multiprocessor_count', String(slice.multiprocessors)]]]]],
      [
        'fb_memory_usage',
        [
          ['total', unit(slice.memoryTotalMiB, 'MiB')],
          ['reserved', unit(0, 'MiB')],
          ['used', unit(used, 'MiB')],
          ['free', unit(slice.memoryTotalMiB - used, 'MiB')],
        ],
      ],
    ],
  ];
}

/** Compute instances of one GPU instance share its memory, so each shows the sum; an empty one holds a little. */
export function migUsedMiB(observed: ObservedCard, slice: SceneMigSlice): number {
  const own = observed.processes.filter(({ gpuInstance }) => gpuInstance === slice.gpuInstance);
  return own.reduce((sum, { usedMiB }) => sum + usedMiB, 12);
}

function processInfo(process: ObservedProcess): Xml {
  return [
    'process_info',
    [
      ['gpu_instance_id', process.gpuInstance === null ? 'N/A' : String(process.gpuInstance)],
      ['compute_instance_id', process.computeInstance === null ? 'N/A' : String(process.computeInstance)],
      ['pid', String(process.pid)],
      ['type', process.type],
      ['process_name', process.name],
      ['used_memory', unit(process.usedMiB, 'MiB')],
    ],
  ];
}

function unit(value: string | number | null, name: string): string {
  return value === null ? 'N/A' : `${value} ${name}`;
}

function write([name, content, attributes]: Xml, indent: string): string {
  const open = attributes === undefined ? name : `${name} ${attributes}`;
  if (typeof content === 'string') return `${indent}<${open}>${escape(content)}</${name}>\n`;
  return `${indent}<${open}>\n${content.map((child) => write(child, `${indent}\t`)).join('')}${indent}</${name}>\n`;
}

function escape(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** `Sun Nov 29 14:25:43 2026`, as in the C library's ctime. */
export function longTimestamp(time: Date): string {
  const [weekday, month, day, year] = time.toDateString().split(' ');
  const clock = time.toTimeString().slice(0, 8);
  return `${weekday} ${month} ${String(Number(day)).padStart(2, ' ')} ${clock} ${year}`;
}
