import type { FreedJob } from '../state/freeing.svelte';
import type { I18n } from '../state/i18n.svelte';
import type { EndingProgress, EndingReport } from '../../shared/contract/ending';

/** Where the freeing of a job stands, in one sentence. */
export function freeingText({ title, step }: FreedJob, i18n: I18n): string {
  switch (step.kind) {
    case 'question':
      return i18n.t('ending.preparing');
    case 'under-way':
      return progressText(step.progress, i18n);
    case 'refused':
      return i18n.text(step.reason);
    case 'done':
      return reportText(title, step.report, i18n);
  }
}

/** How urgent it is: what remains needs somebody. */
export function freeingLevel({ step }: FreedJob): 'info' | 'warning' {
  const remains = step.kind === 'done' && step.report.remaining.length > 0;
  return remains || step.kind === 'refused' ? 'warning' : 'info';
}

function progressText(progress: EndingProgress, i18n: I18n): string {
  switch (progress.phase) {
    case 'asked':
      return i18n.t('ending.asked', { count: progress.left, left: Math.max(0, progress.secondsLeft) });
    case 'asking-to-force':
      return i18n.t('ending.askingToForce');
    case 'forcing':
      return i18n.t('ending.forcing', { count: progress.left });
    case 'memory':
      return i18n.t('ending.waitingForMemory');
  }
}

function reportText(job: string, report: EndingReport, i18n: I18n): string {
  const { ended, memoryBackBytes: back, tookSeconds: took } = report;
  if (ended.length === 0) return i18n.t('ending.doneNothing', { job });
  return back === null
    ? i18n.t('ending.doneUnknown', { job })
    : i18n.t('ending.doneFreed', { job, back, took });
}
