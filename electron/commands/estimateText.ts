/** An estimate as lines for a person. */
import { message, type Message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import type { CardEstimate, Estimate } from '../../shared/memory/estimate';
import { memoryKinds, type MemoryKind } from '../../shared/memory/tape/log';
import type { Phase } from '../../shared/memory/tape/marks';
import { printable } from '../../shared/printable';
import { formatBytes } from '../../shared/units';
import { columns } from './output';

const kinds: Readonly<Record<MemoryKind, Message>> = {
  parameters: message('estimate.kindParameters'),
  gradients: message('estimate.kindGradients'),
  optimizer: message('estimate.kindOptimizer'),
  activations: message('estimate.kindActivations'),
  logits: message('estimate.kindLogits'),
  buffers: message('estimate.kindBuffers'),
  workspace: message('estimate.kindWorkspace'),
};

const phases: Readonly<Record<Phase, Message>> = {
  forward: message('estimate.phaseForward'),
  backward: message('estimate.phaseBackward'),
  clip: message('estimate.phaseClip'),
  optimizer: message('estimate.phaseOptimizer'),
  zero_grad: message('estimate.phaseZeroGrad'),
};

/** The model, each card with its peak by kind, then what follows from it and what was assumed. */
export function estimateLines(name: string, answer: Estimate, locale: Locale): readonly string[] {
  const say = (text: Message): string => translate(locale, text);
  const { parameters, trainableParameters, hostBytes, maxMicroBatch } = answer;
  const lines = [
    printable(name),
    say(message('estimate.textParameters', { parameters, trainable: trainableParameters })),
    ...sameCards(answer.cards).flatMap((cards) => cardLines(cards, locale)),
  ];
  if (hostBytes > 0) lines.push(say(message('estimate.textHost', { bytes: hostBytes })));
  if (maxMicroBatch === 0) lines.push(say(message('estimate.textLargestNone')));
  else if (maxMicroBatch !== null) lines.push(say(message('estimate.textLargest', { count: maxMicroBatch })));
  if (!answer.measured) lines.push(say(message('estimate.textExperimental')));
  for (const warning of answer.warnings)
    lines.push(say(message('estimate.textWarning', { text: printable(say(warning)) })));
  lines.push(say(message('estimate.textAssumed')));
  for (const assumption of answer.assumptions) lines.push(`  ${printable(say(assumption))}`);
  return lines;
}

/** Neighbouring ranks that hold the same on cards of the same size are told once. */
function sameCards(cards: readonly CardEstimate[]): readonly (readonly CardEstimate[])[] {
  const groups: CardEstimate[][] = [];
  for (const card of cards) {
    const group = groups[groups.length - 1];
    const [first] = group ?? [];
    if (
      group !== undefined &&
      first?.processBytes === card.processBytes &&
      first.cardBytes === card.cardBytes
    )
      group.push(card);
    else groups.push([card]);
  }
  return groups;
}

function cardLines(cards: readonly CardEstimate[], locale: Locale): readonly string[] {
  const [card] = cards;
  if (card === undefined) return [];
  const { allocatedPeakBytes, contextBytes, interval, peak, processBytes, rank, reservedPeakBytes } = card;
  const say = (text: Message): string => translate(locale, text);
  const range = { process: processBytes, low: interval.lowBytes, high: interval.highBytes };
  const head =
    cards.length === 1
      ? message('estimate.textCard', { rank, ...range })
      : message('estimate.textCards', { first: rank, last: rank + cards.length - 1, ...range });
  const parts = message('estimate.textParts', {
    allocated: allocatedPeakBytes,
    reserved: reservedPeakBytes,
    context: contextBytes,
  });
  const rows = memoryKinds
    .filter((kind) => peak.byKind[kind] > 0)
    .map((kind) => [`    ${say(kinds[kind])}`, formatBytes(peak.byKind[kind], locale)]);
  const verdict = verdictText(card);
  return [
    say(head),
    `  ${say(parts)}`,
    `  ${say(message('estimate.textPeak', { phase: say(phases[peak.phase]), at: printable(peak.at) }))}`,
    ...columns(rows),
    ...(verdict === null ? [] : [`  ${say(verdict)}`]),
  ];
}

function verdictText({ cardBytes, unlimitedProcessBytes, verdict }: CardEstimate): Message | null {
  switch (verdict) {
    case 'fits':
      return message('estimate.verdictFits', { card: cardBytes });
    case 'tight':
      return message('estimate.verdictTight', { card: cardBytes });
    case 'no':
      return message('estimate.verdictNo', { card: cardBytes, need: unlimitedProcessBytes });
    case null:
      return null;
  }
}
