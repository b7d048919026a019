import { severityOf } from '../../shared/alerts/rules';
import { isThrottleFault } from '../../shared/alerts/rules/throttled';
import { worstSeverity, type Severity } from '../../shared/alerts/severity';
import type { Card } from '../../shared/gpu/types';
import type { Problem } from '../../shared/gpu/types';
import type { I18n } from '../state/i18n.svelte';
import { throttleKey } from './throttle';

export interface CardNote {
  readonly key: string;
  readonly level: Severity;
  readonly text: string;
  /** What to do, for the notes that have a remedy. */
  readonly remedy: string | null;
}

/** What a person should know of a card beside its figures, the most urgent first. */
export function cardNotes(card: Card, problems: readonly Problem[], i18n: I18n): readonly CardNote[] {
  const own = problems.filter((problem) => problem.gpuIndex === card.index);
  const notes: CardNote[] = own.map((problem) => ({
    key: problem.code,
    level: card.lost ? severityOf('card-lost') : problem.code === 'unified-memory' ? 'info' : 'warning',
    text: i18n.text(problem.message),
    remedy: i18n.text(problem.remedy),
  }));
  if (card.lost && own.length === 0) {
    notes.push({
      key: 'lost',
      level: severityOf('card-lost'),
      text: i18n.t('workstation.lost'),
      remedy: null,
    });
  }
  if (card.lost && card.readAt !== null) {
    const text = i18n.t('workstation.lastReading', { time: i18n.clock(card.readAt) });
    notes.push({ key: 'last-reading', level: 'info', text, remedy: null });
  }
  if (card.eccUncorrectedErrors !== null && card.eccUncorrectedErrors > 0) {
    const text = i18n.t('workstation.eccErrors', { count: card.eccUncorrectedErrors });
    notes.push({ key: 'ecc', level: severityOf('ecc-errors'), text, remedy: null });
  }
  for (const reason of card.throttleReasons) {
    const key = throttleKey(reason);
    const words = key === null ? reason : i18n.t(key);
    const text = i18n.t('workstation.clocksHeld', { reason: words });
    notes.push({
      key: `throttle-${reason}`,
      level: isThrottleFault(reason) ? severityOf('throttled') : 'info',
      text,
      remedy: null,
    });
  }
  if (card.computeMode !== null && card.computeMode !== 'Default') {
    const mode = card.computeMode.replaceAll('_', ' ');
    const text = i18n.t('workstation.computeMode', { mode });
    notes.push({ key: 'compute-mode', level: 'info', text, remedy: null });
  }
  return notes;
}

/** The most urgent level among notes, for a place with room for one mark only. */
export function worstLevel(notes: readonly CardNote[]): Severity | null {
  return worstSeverity(notes.map(({ level }) => level));
}
