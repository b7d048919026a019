import { describe, expect, it } from 'vitest';
import { gpuModelNamed } from '../../../../shared/gpu/modelNamed';
import { correctedPlans } from '../../../../shared/receipts/correctedPlans';
import { noCorrection } from '../../../../shared/receipts/corrections';
import { correctionOfMachine } from '../../../../shared/receipts/machine';
import type { Plan, PlanQuestion } from '../../../../shared/strategy/types';
import { defaultAnswers } from '../../../../shared/strategy/wizard/defaults';
import { machineOf } from '../../../../shared/strategy/wizard/machine';
import { readModelAnswer } from '../../../../shared/strategy/wizard/model';
import { readQuestion } from '../../../../shared/strategy/wizard/question';
import { card, snapshot } from '../../../component/support/snapshots';
import { cards, GiB, MiB, receipt } from './builders';

const name = 'NVIDIA GeForce RTX 3090';
const driver = '580.159.04';

/** The part of a plan that a correction looks at; `gib`: what its process holds of a card of 24 GiB. */
function plan(rank: number, gib: number, more: Partial<Plan> = {}): Plan {
  const card = {
    rank: 0,
    allocatedPeakBytes: gib * GiB,
    reservedPeakBytes: gib * GiB,
    contextBytes: 0,
    processBytes: gib * GiB,
    interval: { lowBytes: gib * GiB, highBytes: gib * GiB },
    peak: { byKind: {} },
    timeline: [],
    cardBytes: 24 * GiB,
    verdict: 'fits',
  };
  return { rank, verdict: 'fits', changesTraining: false, cards: [card], ...more } as unknown as Plan;
}

describe('corrected plans', () => {
  const corrected = (share: number | null, plans: readonly Plan[]) =>
    correctedPlans(plans, { ...noCorrection, share }).map(({ cards: [card], rank, verdict }) => [
      rank,
      Math.round(((card?.processBytes ?? 0) / GiB) * 10) / 10,
      verdict,
    ]);

  it('that do not fit any more are left out, the others numbered anew', () => {
    expect(corrected(0.1, [plan(1, 23), plan(2, 20), plan(3, 10)])).toEqual([
      [1, 22, 'fits'],
      [2, 11, 'fits'],
    ]);
  });

  it('stay as they are where nothing was learnt', () => {
    const plans = [plan(1, 23)];
    expect(correctedPlans(plans, noCorrection)).toBe(plans);
  });

  it('that train something else stay behind those that do not', () => {
    const other = { changesTraining: true };
    expect(corrected(0.05, [plan(1, 20, { verdict: 'tight' }), plan(2, 10, other), plan(3, 12)])).toEqual([
      [1, 12.6, 'fits'],
      [2, 21, 'tight'],
      [3, 10.5, 'fits'],
    ]);
  });
});

describe('what a machine’s receipts teach', () => {
  const context = (mib: number) =>
    receipt([{ reservedBytes: 10 * GiB, processBytes: 10 * GiB + mib * MiB, steadyReadings: 5 }]);
  const receipts = [context(562), context(562)];

  it('is about its cards where they are all of one kind', () => {
    const machine = { cards: cards(2), driverVersion: driver };
    expect(correctionOfMachine(machine, receipts).contextBytes).toBe(50 * MiB);
    expect(correctionOfMachine({ ...machine, driverVersion: null }, receipts)).toEqual(noCorrection);
    const mixed = [...cards(1), ...cards(1, 'NVIDIA H200')];
    expect(correctionOfMachine({ cards: mixed, driverVersion: driver }, receipts)).toEqual(noCorrection);
    expect(correctionOfMachine({ cards: [], driverVersion: driver }, receipts)).toEqual(noCorrection);
  });

  it('goes into the question about its own cards, not into one about cards that are typed in', () => {
    const reading = readModelAnswer(defaultAnswers.model);
    if (reading.kind === 'refused') throw new Error(reading.why.key);
    const machine = {
      ...machineOf(snapshot({ cards: [card(0)] }), null),
      correction: { ...noCorrection, contextBytes: 50 * MiB, contextReceipts: 2 },
    };
    const baseOf = (answers: typeof defaultAnswers): number | null => {
      const read = readQuestion(answers, machine, reading.model);
      const question: PlanQuestion | null = read.kind === 'question' ? read.question : null;
      return question?.request.card?.context.base ?? null;
    };
    const known = gpuModelNamed(name).card.context.base;
    expect(baseOf(defaultAnswers)).toBe(known + 50 * MiB);
    expect(baseOf({ ...defaultAnswers, cards: { kind: 'given', text: '1x24GiB', cardName: name } })).toBe(
      known,
    );
  });
});
