import { memoryKinds, type MemoryKind } from '../../../shared/memory/tape/log';
import { kindMessage } from '../../../shared/memory/view/words';
import type { CoursePoint } from '../../../shared/memorySnapshot/course';
import type { EntryRange } from '../../../shared/memorySnapshot/view/zoom';
import { message, type Message } from '../../../shared/i18n/message';
import { kindColours } from '../../plan/chosen/kindColours';
import type { StepLayer } from '../../plan/chosen/stepChart';
import type { I18n } from '../../state/i18n.svelte';
import type { BarFill } from '../../ui/barParts';

export type SnapshotKind = MemoryKind | 'unknown';

/** Bottom to top: what lasts below, what comes and goes above, as in a plan's step. */
const order: readonly SnapshotKind[] = [
  'unknown',
  'parameters',
  'optimizer',
  'buffers',
  'gradients',
  'activations',
  'logits',
  'workspace',
];

export const kindWords = (kind: SnapshotKind | null): Message =>
  kind === null || kind === 'unknown' ? message('memorySnapshot.unknownKind') : kindMessage(kind);

export const kindFill = (kind: SnapshotKind): BarFill =>
  kind === 'unknown' ? { kind: 'desktop' } : { kind: 'colour', colour: kindColours[kind] };

export const bytesOf = (point: CoursePoint, kind: SnapshotKind): number =>
  point.byKind[kind === 'unknown' ? memoryKinds.length : memoryKinds.indexOf(kind)] ?? 0;

/** The kinds that a course has, bottom to top. */
export const kindsOfCourse = (course: readonly CoursePoint[]): readonly SnapshotKind[] =>
  order.filter((kind) => course.some((point) => bytesOf(point, kind) > 0));

export const layersOf = (course: readonly CoursePoint[], i18n: I18n): readonly StepLayer[] =>
  kindsOfCourse(course).map((kind) => ({
    name: i18n.text(kindWords(kind)),
    token: kind === 'unknown' ? '--bar-desktop' : `--job-${kindColours[kind]}`,
    bytes: course.map((point) => bytesOf(point, kind)),
  }));

/** Where each point begins, as a share of the chart's width. */
export const positionsOf = (course: readonly CoursePoint[], { from, to }: EntryRange): readonly number[] =>
  course.map(({ event }) => (event - from) / Math.max(1, to - from));
