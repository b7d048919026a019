/** A reading as lines for a terminal: cards, processes, links, then what is wrong and what to do. */
import type { CardReading, GpuProcess, GpuReading } from '../../shared/gpu/types';
import { message, type Message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import { formatBytes, formatNumber, formatPercent } from '../../shared/units';
import { columns, printable } from './output';

type Words = (text: Message) => string;

/** What a person reads; empty where the text was not nvidia-smi's. */
export function readingLines(reading: GpuReading, locale: Locale): string[] {
  const words: Words = (text) => translate(locale, text);
  if (reading.format === 'unknown') return [];
  const sections = [
    headLines(reading, words),
    cardLines(reading.cards, locale, words),
    processLines(reading.processes, locale, words),
    reading.links.map(({ from, to, kind }) => printable(`${from}  ${to ?? '?'}  ${kind}`)),
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

function cardLines(cards: readonly CardReading[], locale: Locale, words: Words): string[] {
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
      `MIG ${slice.profile ?? ''} ${slice.gpuInstance ?? '?'}/${slice.computeInstance ?? '?'}`.replace(
        / +/g,
        ' ',
      ),
      orUnknown(slice.memoryUsedBytes, bytes, words),
      orUnknown(slice.memoryTotalBytes, bytes, words),
    ]),
  ]);
  return columns([head, ...rows]);
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
