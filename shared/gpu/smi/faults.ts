/** What a driver says of a card instead of its values, gathered cell by cell and told as Problems. */
import { missingReason } from './cell';
import { cardName, cardProblem } from '../problems';
import type { CardReading, Problem } from '../types';

export interface CardFaults {
  readonly lost: boolean;
  readonly needsReset: boolean;
  /** The fields whose value the driver answered with an error. */
  readonly errorFields: readonly string[];
  /** The card was asked for its memory and has none of its own. */
  readonly unifiedMemory: boolean;
}

/** Looks at the cells of one card and keeps what they say instead of a value. */
export class FaultCollector {
  private lost = false;
  private needsReset = false;
  private readonly errorFields: string[] = [];

  /** Notes the cell's fault, if any; answers whether the cell holds a value. */
  note(field: string, cell: string): boolean {
    switch (missingReason(cell)) {
      case null:
        return true;
      case 'lost':
        this.lost = true;
        return false;
      case 'needs-reset':
        this.needsReset = true;
        return false;
      case 'error':
        if (!this.errorFields.includes(field)) this.errorFields.push(field);
        return false;
      case 'absent':
      case 'no-permission':
        return false;
    }
  }

  /** `gpu_recovery_action` (driver 550 on): `None`, `Reset`, `Reboot`, `Drain P2P`, `Drain and Reset`. */
  noteRecoveryAction(action: string | null): void {
    if (action !== null && /\breset\b/i.test(action)) this.needsReset = true;
  }

  faults(unifiedMemory: boolean): CardFaults {
    return { lost: this.lost, needsReset: this.needsReset, errorFields: this.errorFields, unifiedMemory };
  }
}

export function faultProblems(card: CardReading, faults: CardFaults): Problem[] {
  const named = cardName(card);
  if (faults.lost) return [cardProblem('card-lost', named)];
  return [
    ...(faults.needsReset ? [cardProblem('card-needs-reset', named)] : []),
    ...(faults.errorFields.length > 0 ? [cardProblem('card-error', named, faults.errorFields)] : []),
    ...(faults.unifiedMemory && !faults.needsReset ? [cardProblem('unified-memory', named)] : []),
  ];
}
