import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { translate } from '../../../../shared/i18n/translate';
import type { CardEstimate } from '../../../../shared/memory/cardEstimate';
import { gpuModelNamed } from '../../../../shared/gpu/modelNamed';
import { H200 } from '../../../../shared/gpu/models';
import {
  correctedCard,
  correctedEstimates,
  correctionFor,
  correctionTexts,
  noCorrection,
} from '../../../../shared/receipts/corrections';
import { signedPercent } from '../../../../shared/receipts/difference';
import type { Receipt } from '../../../../shared/receipts/types';
import { GiB, MiB, receipt } from './builders';

const card = 'NVIDIA GeForce RTX 3090';
const driver = '580.159.04';
const off = (share: number, more: Partial<Receipt> = {}) =>
  receipt([{ allocatedPeakBytes: 20 * GiB * (1 + share) }], more);
const shareOf = (receipts: readonly Receipt[]) => correctionFor(receipts, card, driver).share;
/** The process held `context` MiB beside what PyTorch reserved; 512 were planned. */
const context = (mib: number, more: Partial<Receipt> = {}) =>
  receipt([{ reservedBytes: 10 * GiB, processBytes: 10 * GiB + mib * MiB, steadyReadings: 5 }], more);

describe('the share by which estimates are off', () => {
  it('is the median of three receipts that agree', () => {
    expect(shareOf([off(0.01), off(0.02), off(0.012)])).toBeCloseTo(0.012, 9);
    expect(shareOf([off(0.01), off(0.012)])).toBeNull();
  });

  it('is not taken where receipts disagree, where it is tiny, or where it is another training', () => {
    expect(shareOf([off(0.01), off(0.012), off(0.05)])).toBeNull();
    expect(shareOf([off(0.001), off(0.002), off(0.003)])).toBeNull();
    expect(shareOf([off(0.3), off(0.305), off(0.31)])).toBeNull();
    expect(shareOf([off(-0.02), off(-0.02), off(-0.02)])).toBeCloseTo(-0.02, 9);
  });

  it('counts only this card under this driver, and nothing simulated', () => {
    const three = [off(0.01), off(0.01), off(0.01)];
    expect(correctionFor(three, 'NVIDIA H200', driver)).toEqual(noCorrection);
    expect(correctionFor(three, card, '550.1')).toEqual(noCorrection);
    expect(correctionFor(three, null, driver)).toEqual(noCorrection);
    expect(shareOf([off(0.01), off(0.01), off(0.01, { simulated: true })])).toBeNull();
  });

  it('takes what was only seen from outside once it has settled and did not die', () => {
    const seen = (steadyReadings: number, end: Receipt['end']) =>
      receipt([{ processBytes: 1.02 * 21.5 * GiB, steadyReadings }], { end });
    const settled = [seen(10, 'ended'), seen(30, 'ended')];
    expect(shareOf([...settled, seen(12, 'finished')])).toBeCloseTo(0.02, 9);
    expect(shareOf([...settled, seen(9, 'ended')])).toBeNull();
    expect(shareOf([...settled, seen(30, 'died')])).toBeNull();
  });

  it('does not fade once plans are corrected by it', () => {
    const corrected = { correction: { contextBytes: 0, share: 0.02 } };
    const now = [off(0.02), off(0, corrected), off(0.001, corrected)];
    expect(shareOf(now)).toBeCloseTo(0.02, 9);
  });

  it('is never beyond a tenth, and moves an estimate by no more', () => {
    const shares = fc.array(fc.double({ min: -0.9, max: 3, noNaN: true }), { maxLength: 30 });
    fc.assert(
      fc.property(shares, (list) => {
        const share = shareOf(list.map((one) => off(one)));
        if (share !== null) expect(Math.abs(share)).toBeLessThanOrEqual(0.1);
      }),
    );
  });
});

describe('the context', () => {
  it('is what two receipts say beside what was planned, and shifts the card’s own', () => {
    const found = correctionFor([context(560), context(568)], card, driver);
    expect(found).toMatchObject({ contextBytes: 52 * MiB, contextReceipts: 2 });
    const corrected = correctedCard(gpuModelNamed('RTX 3090').card, found);
    expect([corrected.context.base, corrected.measured]).toEqual([502 * MiB, true]);
    expect(corrected.context.communicator).toBe(gpuModelNamed('RTX 3090').card.context.communicator);
  });

  it('does not fade once plans are corrected by it', () => {
    const corrected = { correction: { contextBytes: 50 * MiB, share: 0 } };
    expect(correctionFor([context(562), context(512, corrected)], card, driver).contextBytes).toBe(50 * MiB);
  });

  it('stays where one receipt is all there is, where they differ, or a reading came too late', () => {
    expect(correctionFor([context(560)], card, driver).contextBytes).toBeNull();
    expect(correctionFor([context(560), context(900)], card, driver).contextBytes).toBeNull();
    const late = receipt([{ reservedBytes: 10 * GiB, processBytes: 9 * GiB, steadyReadings: 5 }]);
    expect(correctionFor([context(560), late], card, driver).contextBytes).toBeNull();
    expect(correctedCard(H200, noCorrection)).toBe(H200);
  });
});

describe('a corrected estimate', () => {
  const estimate: CardEstimate = {
    rank: 0,
    allocatedPeakBytes: 20 * GiB,
    reservedPeakBytes: 22 * GiB,
    contextBytes: GiB,
    processBytes: 23 * GiB,
    unlimitedProcessBytes: 23 * GiB,
    interval: { lowBytes: 22.8 * GiB, highBytes: 23.2 * GiB },
    peak: {
      phase: 'backward',
      at: 'x',
      byKind: {
        parameters: 0,
        gradients: 0,
        optimizer: 0,
        activations: 0,
        logits: 0,
        buffers: 0,
        workspace: 0,
      },
    },
    timeline: [],
    cardBytes: 24 * GiB,
    verdict: 'fits',
  };
  const moved = (share: number, more: Partial<CardEstimate> = {}) =>
    correctedEstimates([{ ...estimate, ...more }], { ...noCorrection, share })[0];

  it('moves allocator, reserve and process, not the context', () =>
    expect(moved(0.02)).toMatchObject({
      allocatedPeakBytes: Math.round(20.4 * GiB),
      reservedPeakBytes: Math.round(22.44 * GiB),
      contextBytes: GiB,
      processBytes: Math.round(22.44 * GiB) + GiB,
      verdict: 'fits',
    }));

  it('gets a worse verdict where it no longer fits, never a better one', () => {
    expect(moved(0.05)?.verdict).toBe('tight');
    expect(moved(0.1, { allocatedPeakBytes: 21.5 * GiB })?.verdict).toBe('no');
    expect(moved(-0.1, { verdict: 'no', cardBytes: 20 * GiB })?.verdict).toBe('no');
    expect(moved(-0.05, { verdict: 'tight', cardBytes: 24 * GiB })?.verdict).toBe('tight');
    expect(moved(0.05, { verdict: null, cardBytes: null })?.verdict).toBeNull();
  });

  it('is the same list without a correction', () => {
    const list = [estimate];
    expect(correctedEstimates(list, noCorrection)).toBe(list);
  });

  it('keeps the old value within its interval', () => {
    fc.assert(
      fc.property(fc.double({ min: -0.1, max: 0.1, noNaN: true }), (share) => {
        const { interval, processBytes } = moved(share) ?? estimate;
        expect(interval.lowBytes).toBeLessThanOrEqual(estimate.interval.lowBytes);
        expect(interval.highBytes).toBeGreaterThanOrEqual(estimate.interval.highBytes);
        expect(processBytes).toBeLessThanOrEqual(interval.highBytes);
        expect(processBytes).toBeGreaterThanOrEqual(interval.lowBytes);
      }),
    );
  });
});

describe('the words', () => {
  it('say what was corrected, by how much and by how many', () => {
    const texts = correctionTexts(
      { contextBytes: 50 * MiB, contextReceipts: 2, share: 0.012, shareReceipts: 3 },
      correctedCard(gpuModelNamed('RTX 3090').card, { ...noCorrection, contextBytes: 50 * MiB }),
    );
    expect(texts.map((text) => translate('en', text))).toEqual([
      'Corrected by 2 receipts on this machine: a context of 500 MiB before libraries.',
      'Corrected by 3 receipts on this machine: +1.2 %.',
    ]);
    expect(correctionTexts(noCorrection, H200)).toEqual([]);
  });

  it('sign a difference', () =>
    expect([0.012, -0.0349, 0.0001].map(signedPercent)).toEqual(['+1.2 %', '−3.5 %', '±0.0 %']));
});
