/** A report of a snapshot as lines for a terminal. */
import { message, type Message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import { kindMessage, phaseMessage } from '../../shared/memory/view/words';
import { type BesidePlan, differenceMessage } from '../../shared/memorySnapshot/besidePlan';
import type { SnapshotBytesByKind } from '../../shared/memorySnapshot/kindSums';
import type { DeviceReport, SnapshotReport, StackBytes } from '../../shared/memorySnapshot/report';
import { memoryKinds, type MemoryKind } from '../../shared/memory/tape/log';
import { shortFrame, tellingFrames } from '../../shared/memorySnapshot/view/frames';
import { printable } from '../../shared/printable';
import { formatBytes } from '../../shared/units';
import { columns } from './output';

type Words = (text: Message) => string;

const mostStacks = 12;
const mostFrames = 3;

export function snapshotLines(report: SnapshotReport, locale: Locale): string[] {
  const words: Words = (text) => printable(translate(locale, text));
  return [
    ...report.problems.map((problem) => words(problem.message)),
    ...report.devices.flatMap((device) => ['', ...deviceLines(device, locale, words)]),
    ...(report.devices.length === 0 ? [words(message('memorySnapshot.nothingIn'))] : []),
  ];
}

function deviceLines(device: DeviceReport, locale: Locale, words: Words): string[] {
  const { end, fragmentation, growth, index, oom, peak } = device;
  return [
    words(
      message('memorySnapshot.peakLine', {
        index,
        bytes: peak.allocatedBytes,
        seconds: peak.time.toFixed(2),
      }),
    ),
    ...kindLines(peak.byKind, locale, words),
    '',
    words(message('memorySnapshot.holders')),
    ...stackLines(peak.byStack, locale, words),
    ...(growth === null
      ? []
      : [
          '',
          words(message('memorySnapshot.growthLine', { bytes: growth.bytesPerStep })),
          words(growth.meaning),
          ...growth.lines
            .slice(0, mostStacks)
            .map(
              ({ bytesPerStep, line }) =>
                `  ${words(message('memorySnapshot.growthFrom', { line, bytes: bytesPerStep }))}`,
            ),
        ]),
    ...(oom === null
      ? []
      : [
          '',
          words(
            message('memorySnapshot.oomLine', {
              tried: oom.triedBytes,
              free: oom.freeBytes,
              allocated: oom.allocatedBytes,
              unallocated: oom.unallocatedBytes,
            }),
          ),
          ...(oom.line === null ? [] : [`  ${words(message('memorySnapshot.oomAt', { line: oom.line }))}`]),
        ]),
    ...stepLines(device, locale, words),
    '',
    words(message('memorySnapshot.endLine', { allocated: end.allocatedBytes, reserved: end.reservedBytes })),
    words(
      message('memorySnapshot.fragmentationLine', {
        unusable: fragmentation.unusableBytes,
        largest: fragmentation.largestFreeBytes,
      }),
    ),
  ];
}

/** The snapshot beside its plan: the phases, then the differences, largest first. */
export function planLines(plans: readonly BesidePlan[], locale: Locale): string[] {
  const words: Words = (text) => printable(translate(locale, text));
  const size = (bytes: number | null): string => (bytes === null ? '–' : formatBytes(bytes, locale));
  return plans.flatMap(({ differences, peakBytes, phases, plannedPeakBytes }) => {
    const isByPhase = phases.some((phase) => phase.plannedPeakBytes !== null);
    return [
      '',
      words(message('memorySnapshot.besidePlan', { actual: peakBytes, planned: plannedPeakBytes })),
      ...(isByPhase
        ? columns([
            [
              `  ${words(message('memorySnapshot.phaseColumn'))}`,
              words(message('memorySnapshot.plannedColumn')),
              words(message('memorySnapshot.actualColumn')),
            ],
            ...phases.map((phase) => [
              `  ${words(phaseMessage(phase.phase))}`,
              size(phase.plannedPeakBytes),
              size(phase.peakBytes),
            ]),
          ])
        : [words(message('memorySnapshot.planPeakOnly'))]),
      ...(isByPhase && differences.length === 0 ? [words(message('memorySnapshot.asPlanned'))] : []),
      ...differences
        .slice(0, mostStacks)
        .flatMap((difference) => [
          `  ${words(phaseMessage(difference.phase))}, ${words(whatMessage(difference.what))}: ${words(differenceMessage(difference))}`,
          ...(difference.cause === null ? [] : [`    ${words(difference.cause)}`]),
        ]),
    ];
  });
}

/** What memory is for, in words. */
export const whatMessage = (what: MemoryKind | null): Message =>
  what === null ? message('memorySnapshot.unknownKind') : kindMessage(what);

function kindLines(byKind: SnapshotBytesByKind, locale: Locale, words: Words): string[] {
  const kinds: readonly (MemoryKind | null)[] = [...memoryKinds, null];
  const rows = kinds
    .map((kind) => ({ kind, bytes: byKind[kind ?? 'unknown'] }))
    .filter(({ bytes }) => bytes > 0)
    .sort((one, other) => other.bytes - one.bytes)
    .map(({ bytes, kind }) => [`  ${formatBytes(bytes, locale)}`, words(whatMessage(kind))]);
  return columns(rows);
}

function stackLines(stacks: readonly StackBytes[], locale: Locale, words: Words): string[] {
  const rows = stacks
    .slice(0, mostStacks)
    .map(({ bytes, count, frames, line, what }) => [
      `  ${formatBytes(bytes, locale)}`,
      `${count} ×`,
      words(whatMessage(what)),
      printable(placeText(frames, line)),
    ]);
  const rest = stacks.length - mostStacks;
  return [
    ...columns(rows),
    ...(rest > 0 ? [`  ${words(message('memorySnapshot.moreStacks', { count: rest }))}`] : []),
  ];
}

/** The innermost frames by the names of their files, and the user's own line. */
function placeText(frames: readonly string[], line: string | null): string {
  const inner = tellingFrames(frames).slice(0, mostFrames).map(shortFrame);
  const own = line === null ? [] : [shortFrame(line)];
  return [...inner, ...(own.every((frame) => inner.includes(frame)) ? [] : ['…', ...own])].join(' < ');
}

function stepLines({ steps }: DeviceReport, locale: Locale, words: Words): string[] {
  if (steps === null || steps.length === 0) return [];
  const shown =
    steps.length <= mostStacks ? steps : [...steps.slice(0, mostStacks / 2), ...steps.slice(-mostStacks / 2)];
  const rows = shown.map((step) => [
    `  ${steps.indexOf(step) + 1}`,
    formatBytes(step.peakBytes, locale),
    formatBytes(step.restBytes, locale),
    step.phases
      .map(({ peakBytes, phase }) => `${words(phaseMessage(phase))} ${formatBytes(peakBytes, locale)}`)
      .join(', '),
  ]);
  const head = [
    'memorySnapshot.stepColumn',
    'memorySnapshot.peakColumn',
    'memorySnapshot.restColumn',
    'memorySnapshot.phasesColumn',
  ] as const;
  return [
    '',
    ...columns([head.map((key, index) => `${index === 0 ? '  ' : ''}${words(message(key))}`), ...rows]),
  ];
}
