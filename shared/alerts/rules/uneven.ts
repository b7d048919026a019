import type { Imbalance } from '../../snapshot/types';
import { message } from '../../i18n/message';
import type { Rule } from '../rule';

/** Another count of the cards is worth knowing; everything else that is uneven costs memory or time and is worth an alert. */
export function isWorthAnAlert({ kind }: Imbalance): boolean {
  return kind !== 'card-order';
}

/** The id of the alert about something uneven: the same kind of the same jobs. */
export function unevenAlertId(imbalance: Imbalance): string {
  return `${uneven.name}/${subjectOf(imbalance)}`;
}

export const uneven: Rule<'uneven'> = {
  name: 'uneven',
  title: message('alerts.ruleUneven'),
  severity: 'warning',
  minimumSeconds: 10,
  conditions: ({ snapshot }) =>
    snapshot.imbalance.filter(isWorthAnAlert).map((imbalance) => ({
      subject: subjectOf(imbalance),
      phase: 'on',
      gpuIndex: imbalance.gpuIndices[0] ?? null,
      jobId: imbalance.jobIds[0] ?? null,
      jobTitle: snapshot.jobs.find(({ id }) => id === imbalance.jobIds[0])?.title ?? null,
      text: imbalance.what,
    })),
};

function subjectOf({ kind, jobIds }: Imbalance): string {
  return `${kind}/${jobIds.join('+')}`;
}
