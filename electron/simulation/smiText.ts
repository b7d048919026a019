/** The answers of the stand-in that people read: the plain table, `-q`, `-L`, `topo -m`, `pmon`, `dmon`, `--version`. */
import type { ObservedCard, ObservedProcess } from './observe';
import { throttle } from './observe';
import type { SmiMoment } from './smiCsv';
import { longTimestamp, migUsedMiB } from './smiXml';

const cells = (text: string, width: number): string => text.slice(0, width).padEnd(width);
const right = (text: string | number, width: number): string => String(text).padStart(width);
const rule = `+${'-'.repeat(89)}+`;
const columnRule = `+${'-'.repeat(41)}+${'-'.repeat(24)}+${'-'.repeat(22)}+`;

/** Plain `nvidia-smi`, in the layout of drivers since 535. */
export function table(moment: SmiMoment): string {
  const { driverVersion, cudaVersion } = moment.scene;
  const heading = `NVIDIA-SMI ${cells(driverVersion, 22)} Driver Version: ${cells(driverVersion, 14)} CUDA Version: ${cells(cudaVersion, 8)}`;
  return [
    longTimestamp(moment.time),
    rule,
    `| ${heading} |`,
    columnRule,
    '| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |',
    '| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |',
    '|                                         |                        |               MIG M. |',
    columnRule.replace(/[-+]/g, (sign) => (sign === '-' ? '=' : '+')).replace(/^\+|\+$/g, '|'),
    ...moment.cards.flatMap((card) => [...cardRows(card), columnRule]),
    ...migTable(moment.cards),
    '',
    ...processTable(moment.cards),
    '',
  ].join('\n');
}

function cardRows(observed: ObservedCard): readonly string[] {
  const { card } = observed;
  const mig = card.mig.length > 0;
  const fan = observed.fanPercent === null ? 'N/A' : `${observed.fanPercent}%`;
  const power = `${Math.round(observed.powerWatts)}W / ${right(card.model.powerLimitWatts, 4)}W`;
  const memory = `${observed.usedMiB}MiB / ${right(card.model.memoryTotalMiB, 6)}MiB`;
  const ecc = !card.model.hasEcc ? 'N/A' : mig ? 'On' : String(observed.condition.eccUncorrectedErrors);
  const util = mig ? 'N/A' : `${observed.utilizationPercent}%`;
  const migMode = card.model.hasEcc ? (mig ? 'Enabled' : 'Disabled') : 'N/A';
  return [
    `| ${right(observed.index, 3)}  ${cells(card.model.name, 30)}  On  | ${right(card.pciBusId, 18)} ${card.displayActive ? ' On' : 'Off'} | ${right(ecc, 20)} |`,
    `| ${right(fan, 3)} ${right(observed.temperatureC, 4)}C    ${cells(observed.performanceState, 4)}${right(power, 23)}  | ${right(memory, 22)} | ${right(util, 7)}      Default |`,
    `|${' '.repeat(41)}|${' '.repeat(24)}| ${right(migMode, 20)} |`,
  ];
}

function migTable(cards: readonly ObservedCard[]): readonly string[] {
  const rows = cards.flatMap((observed) =>
    observed.card.mig.flatMap((slice, at) => [
      `| ${right(observed.index, 2)} ${right(slice.gpuInstance, 4)} ${right(slice.computeInstance, 3)} ${right(at, 3)}  | ${right(`${migUsedMiB(observed, slice)}MiB / ${slice.memoryTotalMiB}MiB`, 31)}  | ${right(slice.multiprocessors, 2)}      0 |  ${slice.gpuInstance}   0    0    0    0 |`,
      `|                  | ${right('0MiB / 32767MiB', 31)}  |           |                       |`,
      `+------------------+----------------------------------+-----------+-----------------------+`,
    ]),
  );
  if (rows.length === 0) return [];
  return [
    '',
    rule,
    `| ${cells('MIG devices:', 87)} |`,
    '+------------------+----------------------------------+-----------+-----------------------+',
    '| GPU  GI  CI  MIG |              Shared Memory-Usage |        Vol|        Shared         |',
    '|      ID  ID  Dev |                Shared BAR1-Usage | SM     Unc| CE ENC  DEC  OFA  JPG |',
    '|                  |                                  |        ECC|                       |',
    '|==================+==================================+===========+=======================|',
    ...rows,
  ];
}

function processTable(cards: readonly ObservedCard[]): readonly string[] {
  const rows = cards.flatMap((card) => card.processes.map((process) => processRow(card.index, process)));
  return [
    rule,
    `| ${cells('Processes:', 87)} |`,
    '|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |',
    '|        ID   ID                                                               Usage      |',
    `|${'='.repeat(89)}|`,
    ...(rows.length === 0 ? [`|  ${cells('No running processes found', 86)} |`] : rows),
    rule,
  ];
}

function processRow(gpuIndex: number, process: ObservedProcess): string {
  const instance = (id: number | null): string => right(id ?? 'N/A', 3);
  // Long paths are cut from the left, as nvidia-smi does.
  const name = process.name.length > 30 ? `...${process.name.slice(-27)}` : process.name;
  return `| ${right(gpuIndex, 4)}   ${instance(process.gpuInstance)}  ${instance(process.computeInstance)} ${right(process.pid, 15)} ${right(process.type, 6)}   ${cells(name, 30)} ${right(`${process.usedMiB}MiB`, 15)} |`;
}

/** `-L`. */
export function list(moment: SmiMoment): string {
  return moment.cards
    .flatMap(({ index, card }) => [
      `GPU ${index}: ${card.model.name} (UUID: ${card.uuid})\n`,
      ...card.mig.map(
        (slice, at) => `  MIG ${cells(slice.profile, 11)} Device ${right(at, 2)}: (UUID: ${slice.uuid})\n`,
      ),
    ])
    .join('');
}

/** `topo -m`: every pair of cards behind the host bridges of one NUMA node. */
export function topology(moment: SmiMoment): string {
  const names = moment.cards.map(({ index }) => `GPU${index}`);
  const heading = ['', ...names, 'CPU Affinity', 'NUMA Affinity', 'GPU NUMA ID'].join('\t');
  const rows = names.map((name, row) =>
    [name, ...names.map((_name, column) => (row === column ? ' X ' : 'PHB')), '0-31', '0', '', 'N/A'].join(
      '\t',
    ),
  );
  return `\u001b[4m${heading}\u001b[0m\n${rows.join('\n')}\n\nLegend:\n\n  X    = Self\n  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)\n`;
}

/** One sample of `pmon`; the heading comes with the first. */
export function pmon(moment: SmiMoment, first: boolean): string {
  const heading =
    '# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command \n# Idx           #    C/G      %      %      %      %      %      %    name \n';
  const row = (index: number, process: ObservedProcess | null): string => {
    const sm = process === null || process.type === 'G' ? '-' : Math.round(process.utilizationPercent);
    const name = process === null ? '-' : (process.name.split('/').at(-1) ?? process.name);
    return `${right(index, 5)} ${right(process?.pid ?? '-', 11)} ${right(process?.type ?? '-', 6)} ${right(sm, 6)} ${right('-', 6)} ${right('-', 6)} ${right('-', 6)} ${right('-', 6)} ${right('-', 6)}    ${cells(name, 15)}\n`;
  };
  const rows = moment.cards.flatMap((card) =>
    card.processes.length === 0
      ? [row(card.index, null)]
      : card.processes.map((process) => row(card.index, process)),
  );
  return (first ? heading : '') + rows.join('');
}

/** One sample of `dmon`; the heading comes with the first. */
export function dmon(moment: SmiMoment, first: boolean): string {
  const heading =
    '# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec    jpg    ofa   mclk   pclk \n# Idx      W      C      C      %      %      %      %      %      %    MHz    MHz \n';
  const rows = moment.cards.map(
    (card) =>
      [
        right(card.index, 5),
        right(Math.round(card.powerWatts), 6),
        right(card.temperatureC, 6),
        right(card.card.model.hasEcc ? card.temperatureC - 4 : '-', 6),
        right(card.utilizationPercent, 6),
        right(card.memoryUtilizationPercent, 6),
        ...['0', '0', '0', '0'].map((zero) => right(zero, 6)),
        right(card.memoryClockMHz, 6),
        right(card.smClockMHz, 6),
      ].join(' ') + ' \n',
  );
  return (first ? heading : '') + rows.join('');
}

/** `--version`. */
export function version(moment: SmiMoment): string {
  const { driverVersion, cudaVersion } = moment.scene;
  return `NVIDIA-SMI version  : ${driverVersion}\nNVML version        : ${driverVersion.split('.').slice(0, 2).join('.')}\nDRIVER version      : ${driverVersion}\nCUDA Version        : ${cudaVersion}\n`;
}

/** `-q`: the parts of the long report that people paste. */
export function longReport(moment: SmiMoment): string {
  const { driverVersion, cudaVersion, cards } = moment.scene;
  const head = [
    '',
    '==============NVSMI LOG==============',
    '',
    line(0, 'Timestamp', longTimestamp(moment.time)),
    line(0, 'Driver Version', driverVersion),
    line(0, 'CUDA Version', cudaVersion),
    '',
    line(0, 'Attached GPUs', String(cards.length)),
  ];
  return `${[...head, ...moment.cards.flatMap(reportOfCard)].join('\n')}\n\n`;
}

function reportOfCard(observed: ObservedCard): readonly string[] {
  const { card } = observed;
  const { model } = card;
  const reason = (bit: bigint): string => ((observed.throttleBits & bit) === 0n ? 'Not Active' : 'Active');
  const mig = model.hasEcc ? (card.mig.length > 0 ? 'Enabled' : 'Disabled') : 'N/A';
  return [
    `GPU ${card.pciBusId}`,
    line(1, 'Product Name', model.name),
    line(1, 'Product Brand', model.brand),
    line(1, 'Product Architecture', model.architecture),
    line(1, 'Persistence Mode', 'Enabled'),
    '    MIG Mode',
    line(2, 'Current', mig),
    line(2, 'Pending', mig),
    line(1, 'Serial Number', card.serial ?? 'N/A'),
    line(1, 'GPU UUID', card.uuid),
    line(1, 'Minor Number', String(card.minorNumber)),
    '    PCI',
    line(2, 'Bus Id', card.pciBusId),
    line(1, 'Fan Speed', observed.fanPercent === null ? 'N/A' : `${observed.fanPercent} %`),
    line(1, 'Performance State', observed.performanceState),
    '    Clocks Event Reasons',
    line(2, 'Idle', reason(throttle.idle)),
    line(2, 'SW Power Cap', reason(throttle.swPowerCap)),
    line(2, 'HW Slowdown', reason(throttle.hwSlowdown)),
    line(3, 'HW Thermal Slowdown', reason(throttle.hwThermal)),
    line(2, 'SW Thermal Slowdown', reason(throttle.swThermal)),
    '    FB Memory Usage',
    line(2, 'Total', `${model.memoryTotalMiB} MiB`),
    line(2, 'Reserved', `${model.memoryReservedMiB} MiB`),
    line(2, 'Used', `${observed.usedMiB} MiB`),
    line(2, 'Free', `${observed.freeMiB} MiB`),
    line(1, 'Compute Mode', 'Default'),
    '    Utilization',
    line(2, 'GPU', card.mig.length > 0 ? 'N/A' : `${observed.utilizationPercent} %`),
    line(2, 'Memory', card.mig.length > 0 ? 'N/A' : `${observed.memoryUtilizationPercent} %`),
    '    Temperature',
    line(2, 'GPU Current Temp', `${observed.temperatureC} C`),
    '    GPU Power Readings',
    line(2, 'Average Power Draw', `${observed.powerWatts.toFixed(2)} W`),
    line(2, 'Current Power Limit', `${model.powerLimitWatts.toFixed(2)} W`),
    '    Clocks',
    line(2, 'SM', `${observed.smClockMHz} MHz`),
    line(2, 'Memory', `${observed.memoryClockMHz} MHz`),
    ...(observed.processes.length === 0
      ? [line(1, 'Processes', 'None')]
      : ['    Processes', ...observed.processes.flatMap(reportOfProcess)]),
    '',
  ];
}

function reportOfProcess(process: ObservedProcess): readonly string[] {
  return [
    line(2, 'GPU instance ID', String(process.gpuInstance ?? 'N/A')),
    line(2, 'Compute instance ID', String(process.computeInstance ?? 'N/A')),
    line(2, 'Process ID', String(process.pid)),
    line(3, 'Type', process.type),
    line(3, 'Name', process.name),
    line(3, 'Used GPU Memory', `${process.usedMiB} MiB`),
  ];
}

function line(depth: number, name: string, value: string): string {
  return `${`${'    '.repeat(depth)}${name}`.padEnd(55)}: ${value}`;
}
