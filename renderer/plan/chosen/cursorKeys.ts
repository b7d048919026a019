import type { PhaseSpan } from '../../../shared/memory/view/course';

interface Course {
  /** The last point. */
  readonly last: number;
  readonly peakIndex: number;
  readonly spans: readonly PhaseSpan[];
}

const stride = 10;

/**
 * Where a key leads: arrows to the next point, Page keys ten further, up and down to the peak of the next or former phase,
 * Home and End to the ends, Enter to the step's peak; null: Escape looks away. Undefined for any other key.
 */
export function cursorAfterKey(key: string, index: number, course: Course): number | null | undefined {
  const { last, peakIndex, spans } = course;
  const within = (place: number): number => Math.min(last, Math.max(0, place));
  switch (key) {
    case 'ArrowLeft':
      return within(index - 1);
    case 'ArrowRight':
      return within(index + 1);
    case 'PageDown':
      return within(index - stride);
    case 'PageUp':
      return within(index + stride);
    case 'Home':
      return 0;
    case 'End':
      return last;
    case 'ArrowUp':
      return spans.find((span) => span.peakIndex > index)?.peakIndex ?? index;
    case 'ArrowDown':
      return spans.findLast((span) => span.peakIndex < index)?.peakIndex ?? index;
    case 'Enter':
      return peakIndex;
    case 'Escape':
      return null;
    default:
      return undefined;
  }
}
