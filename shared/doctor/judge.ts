import { fixesFor } from './advice/fixes';
import type { CaseInLog } from './case';
import { rules } from './rules';
import type { Rule } from './rules/rule';
import type { CauseTag } from './causes';
import type { Cause } from './types';

/** A cause less likely than this is not worth a person's time. */
const leastConfidence = 0.12;
const mostCauses = 5;

/** The causes of one failure, likeliest first. Of several rules for one cause the surest speaks. */
export function judge(at: CaseInLog): Cause[] {
  const surest = new Map<CauseTag, { rule: Rule; confidence: number }>();
  for (const rule of rules) {
    if (!rule.when(at)) continue;
    const confidence = typeof rule.confidence === 'number' ? rule.confidence : rule.confidence(at);
    if (confidence > (surest.get(rule.cause)?.confidence ?? leastConfidence))
      surest.set(rule.cause, { rule, confidence });
  }
  return [...surest.values()]
    .sort((a, b) => b.confidence - a.confidence)
    .slice(0, mostCauses)
    .map(({ rule, confidence }) => ({
      cause: rule.cause,
      confidence: Math.round(confidence * 100) / 100,
      evidence: rule.evidence(at),
      fixes: fixesFor(rule.cause, at),
    }));
}
