/** What came of a measurement, in words. */
import { message, type Message } from '../i18n/message';
import { receiptDifference, signedPercent } from '../receipts/difference';
import type { Receipt } from '../receipts/types';
import { commandText, neededPackages } from './command';
import type { LaunchPlan } from '../launch/plan';
import type { Preflight } from './preflight';

/** How a started program ended. `stopped`: by a person or with Headroom. */
export type ProgramEnd =
  | { readonly kind: 'exited'; readonly exitCode: number | null; readonly signal: string | null }
  | { readonly kind: 'stopped' | 'timed-out' | 'flooded' }
  | { readonly kind: 'not-started'; readonly code: string };

export interface Outcome {
  readonly level: 'info' | 'warning' | 'critical';
  readonly texts: readonly Message[];
  /** Whether what was printed is worth the doctor's look. */
  readonly isFailure: boolean;
}

const said = (level: Outcome['level'], ...texts: readonly Message[]): Outcome => ({
  level,
  texts,
  isFailure: false,
});

/** What the look at the Python forbids; null: the plan can run. */
export function preflightOutcome(
  end: ProgramEnd,
  answer: Preflight | null,
  plan: LaunchPlan,
  python: string,
  limitSeconds: number,
): Outcome | null {
  const failed = programOutcome(end, limitSeconds);
  if (failed !== null) return failed;
  if (answer === null) return said('critical', message('measure.notPython'));
  if (answer.missing.length > 0) {
    const missing = neededPackages(plan).filter(({ name }) => answer.missing.includes(name));
    const install = [python, '-m', 'pip', 'install', ...missing.map(({ needed }) => needed)];
    return said(
      'warning',
      message('measure.missing', {
        packages: missing.map(({ name }) => name).join(', '),
        command: commandText(install),
      }),
    );
  }
  const count = answer.cards ?? 0;
  if (count >= plan.world) return null;
  return said('warning', message('measure.torchCards', { torch: answer.torch, count, world: plan.world }));
}

/** What came of the two steps; `receipt` holds what the logs told. */
export function measuredOutcome(end: ProgramEnd, receipt: Receipt, limitSeconds: number): Outcome {
  const failed = programOutcome(end, limitSeconds);
  if (failed !== null) return failed;
  const found = receiptDifference(receipt);
  if (found === null || found.of === 'process') return said('warning', message('measure.noNumbers'));
  return said(
    'info',
    message('measure.measured', {
      measured: found.measuredBytes,
      planned: found.plannedBytes,
      rank: String(found.rank),
      share: signedPercent(found.share),
    }),
  );
}

/** How a program ended that did not end as it should; null: it did. */
function programOutcome(end: ProgramEnd, limitSeconds: number): Outcome | null {
  switch (end.kind) {
    case 'stopped':
      return said('info', message('measure.stopped'));
    case 'timed-out':
      return said('warning', message('measure.timedOut', { limit: limitSeconds }));
    case 'flooded':
      return said('warning', message('measure.flooded'));
    case 'not-started':
      return said('critical', message('measure.notStarted', { code: end.code }));
    case 'exited': {
      if (end.exitCode === 0) return null;
      const text =
        end.signal === null
          ? message('measure.failed', { code: String(end.exitCode) })
          : message('measure.signalled', { signal: end.signal });
      return { level: 'critical', texts: [text], isFailure: true };
    }
  }
}
