/** A Snapshot as lines for a terminal. */
import type { Card } from '../../shared/gpu/types';
import type { Snapshot } from '../../shared/alerts/snapshot';
import { dateFormat } from '../../shared/formats';
import { isOverdue } from '../../shared/snapshot/history/gap';
import { message, type Message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import type { Job } from '../../shared/jobs/types';
import { printable } from '../../shared/printable';
import { formatBytes, formatNumber, formatPercent } from '../../shared/units';
import { columns } from './output';

interface Words {
  readonly locale: Locale;
  readonly say: (text: Message) => string;
  readonly bytes: (value: number | null) => string;
}

const barWidth = 24;
const clockOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;

/** What a person reads of one moment. */
export function snapshotLines(snapshot: Snapshot, locale: Locale): readonly string[] {
  const say = (text: Message): string => printable(translate(locale, text));
  const words: Words = {
    locale,
    say,
    bytes: (value) => (value === null ? say(message('common.unknown')) : formatBytes(value, locale)),
  };
  const sections = [
    [headLine(snapshot, words)],
    cardLines(snapshot.cards, words),
    snapshot.alerts.map(({ text }) => `! ${say(text)}`),
    jobLines(snapshot.jobs, words),
    [hostLine(snapshot, words)],
    snapshot.problems.flatMap((problem) => [`! ${say(problem.message)}`, `  ${say(problem.remedy)}`]),
  ];
  return sections
    .filter((section) => section.length > 0)
    .flatMap((section, place) => (place > 0 ? ['', ...section] : section));
}

function headLine(
  { time, source, host, driverVersion, cudaVersion, cardsReadAt, intervalSeconds }: Snapshot,
  words: Words,
): string {
  const clock = dateFormat(words.locale, clockOptions).format(time * 1000);
  const parts = [
    source.kind === 'simulated'
      ? message('watch.simulated', { time: clock, scene: source.sceneId })
      : message('watch.live', { time: clock, host: host.hostname }),
    ...(driverVersion === null
      ? []
      : [message('watch.versions', { driver: driverVersion, cuda: cudaVersion })]),
    ...(cardsReadAt !== null && isOverdue(time - cardsReadAt, intervalSeconds)
      ? [message('watch.readAgo', { age: time - cardsReadAt })]
      : []),
  ];
  return parts.map(words.say).join('  ');
}

function cardLines(cards: readonly Card[], words: Words): readonly string[] {
  if (cards.length === 0) return [words.say(message('watch.noCards'))];
  const head = [
    '#',
    words.say(message('watch.card')),
    words.say(message('watch.memory')),
    '',
    words.say(message('watch.load')),
    words.say(message('watch.temperature')),
    words.say(message('watch.power')),
  ];
  return columns([head, ...cards.map((card) => cardRow(card, words))]);
}

function cardRow(card: Card, words: Words): readonly string[] {
  const { locale, say } = words;
  const orUnknown = (value: number | null, format: (value: number) => string): string =>
    value === null ? say(message('common.unknown')) : format(value);
  return [
    String(card.index),
    printable(card.name ?? say(message('common.unknown'))),
    memoryBar(card.memoryUsedBytes, card.memoryTotalBytes),
    card.lost
      ? say(message('watch.lost'))
      : say(message('watch.usedOfTotal', { used: card.memoryUsedBytes, total: card.memoryTotalBytes })),
    orUnknown(card.utilizationPercent, (value) => formatPercent(value, locale)),
    orUnknown(card.temperatureC, (value) => `${formatNumber(value, locale)} °C`),
    orUnknown(card.powerWatts, (value) => `${formatNumber(Math.round(value), locale)} W`),
  ];
}

function memoryBar(used: number | null, total: number | null): string {
  const full = used === null || total === null || total === 0 ? 0 : Math.round((used / total) * barWidth);
  const length = Math.max(0, Math.min(barWidth, full));
  return `[${'#'.repeat(length)}${'.'.repeat(barWidth - length)}]`;
}

function jobLines(jobs: readonly Job[], words: Words): readonly string[] {
  if (jobs.length === 0) return [words.say(message('watch.noJobs'))];
  const { say, bytes } = words;
  const head = [
    say(message('watch.job')),
    say(message('watch.user')),
    say(message('watch.onCards')),
    say(message('watch.gpuMemory')),
    say(message('watch.hostMemory')),
    say(message('watch.processes')),
  ];
  const rows = jobs.map((job) => [
    printable(job.title),
    printable(job.user ?? say(message('common.unknown'))),
    cardsOf(job).join(','),
    bytes(job.memoryBytes),
    bytes(job.residentBytes),
    String(job.members.length),
  ]);
  return columns([head, ...rows]);
}

function cardsOf(job: Job): readonly number[] {
  const indices = new Set(job.members.flatMap(({ cards }) => cards.map(({ gpuIndex }) => gpuIndex)));
  return [...indices].sort((a, b) => a - b);
}

function hostLine({ host }: Snapshot, words: Words): string {
  return words.say(
    message('watch.hostLine', {
      used: host.memoryUsedBytes,
      total: host.memoryTotalBytes,
      swapUsed: host.swapUsedBytes,
      shmUsed: host.shmUsedBytes,
      shmTotal: host.shmTotalBytes,
      cpu: host.cpuPercent,
    }),
  );
}
