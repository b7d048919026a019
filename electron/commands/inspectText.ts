/** A reading as lines for a terminal: cards, processes, links, then what is wrong and what to do. */
import type { GpuProcess, GpuReading, MigSlice } from '../../shared/gpu/types';
import { message, type Message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import { printable } from '../../shared/printable';
import { formatBytes, formatNumber, formatPercent } from '../../shared/units';
import { columns } from './output';

type Words = (text: Message) => string;

/** What a person reads; empty where the text was not nvidia-smi's. */
export function readingLines(reading: GpuReading, locale: Locale): string[] {
  const words: Words = (text) => translate(locale, text);
  if (reading.format === 'unknown') return [];
  const sections = [
    headLines(reading, words),
    cardLines(reading, locale, words),
    processLines(reading.processes, locale, words),
    columns(reading.links.map(({ from, to, kind }) => [from, to ?? '?', kind].map(printable))),
    reading.problems.flatMap((problem) => [
      `! ${printable(words(problem.message))}`,
      `  ${printable(words(problem.remedy))}`,
    ]),
  ];
  return sections
    .filter((section) => section.length > 0)
    .flatMap((section, place) => (place > 0 ? ['', ...section] : section));
}

function headLines(reading: GpuReading, words: Words): string[] {
  if (reading.driverVersion === null && reading.cudaVersion === null) return [];
  return [
    words(message('cli.inspectVersions', { driver: reading.driverVersion, cuda: reading.cudaVersion })),
  ];
}

function orUnknown(value: number | null, format: (value: number) => string, words: Words): string {
  return value === null ? words(message('common.unknown')) : format(value);
}

function cardLines({ cards, links }: GpuReading, locale: Locale, words: Words): string[] {
  if (cards.length === 0) return [];
  const head = ['#', ...headings.card.map(words)];
  const bytes = (value: number) => formatBytes(value, locale);
  const rows = cards.flatMap((card) => [
    [
      card.index === null ? '?' : String(card.index),
      printable(card.name ?? words(message('common.unknown'))),
      orUnknown(card.memoryUsedBytes, bytes, words),
      orUnknown(card.memoryTotalBytes, bytes, words),
      orUnknown(card.utilizationPercent, (value) => formatPercent(value, locale), words),
      orUnknown(card.temperatureC, (value) => `${formatNumber(value, locale)} °C`, words),
      orUnknown(card.powerWatts, (value) => `${formatNumber(value, locale)} W`, words),
    ],
    ...card.mig.map((slice) => [
      '',
      migName(slice),
      orUnknown(slice.memoryUsedBytes, bytes, words),
      orUnknown(slice.memoryTotalBytes, bytes, words),
    ]),
  ]);
  const known = withoutUnknown([head, ...rows], words);
  // Cards of which nothing but the number is known are no news beside the links that name them.
  return (known[0]?.length ?? 0) > 1 || links.length === 0 ? columns(known) : [];
}

/** `MIG 1c.3g.71gb 2/1`: profile, GPU and compute instance; the UUID where the instances are not known. */
function migName({ profile, gpuInstance, computeInstance, uuid }: MigSlice): string {
  const instances = gpuInstance === null ? uuid : `${gpuInstance}/${computeInstance ?? '-'}`;
  return printable(['MIG', profile, instances].filter((part) => part !== null).join(' '));
}

/** Without the columns in which nothing is known: `-L` gives names only. */
function withoutUnknown(rows: readonly (readonly string[])[], words: Words): (readonly string[])[] {
  const unknown = words(message('common.unknown'));
  const kept = (rows[0] ?? []).map((_heading, place) =>
    rows.slice(1).some((row) => row[place] !== undefined && row[place] !== unknown),
  );
  return rows.map((row) => row.filter((_cell, place) => kept[place] === true));
}

function processLines(processes: readonly GpuProcess[], locale: Locale, words: Words): string[] {
  if (processes.length === 0) return [];
  const rows = processes.map((process) => [
    process.gpuIndex === null ? '?' : String(process.gpuIndex),
    process.pid === null ? '?' : String(process.pid),
    process.type ?? '',
    orUnknown(process.usedBytes, (value) => formatBytes(value, locale), words),
    printable(process.name ?? words(message('common.unknown'))),
  ]);
  return columns([['#', 'PID', ...headings.process.map(words)], ...rows]);
}

const headings = {
  card: [
    message('cli.inspectCard'),
    message('cli.inspectUsed'),
    message('cli.inspectTotal'),
    message('cli.inspectBusy'),
    message('cli.inspectTemperature'),
    message('cli.inspectPower'),
  ],
  process: [message('cli.inspectType'), message('cli.inspectMemory'), message('cli.inspectProcess')],
} as const;
