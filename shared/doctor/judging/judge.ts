import { causes, type Cause } from '../causes';
import type { CauseDefinition } from '../causes/definition';
import type { Context } from '../failures/readFailure';
import type { Message } from '../../i18n/message';

/** A cause less likely than this is not worth a person's time. */
const leastConfidence = 0.12;
const mostCauses = 5;

/** A cause that applies to a failure, before any advice. */
export interface FoundCause {
  readonly cause: Cause;
  readonly definition: CauseDefinition;
  /** 0 to 1. */
  readonly confidence: number;
  readonly evidence: readonly Message[];
}

/** The causes of one failure, likeliest first. Of several rules of one cause the surest speaks. */
export function judge(context: Context): FoundCause[] {
  return causes
    .flatMap((definition) => surestRule(definition, context) ?? [])
    .sort((a, b) => b.confidence - a.confidence)
    .slice(0, mostCauses);
}

function surestRule(
  definition: CauseDefinition & { readonly name: Cause },
  context: Context,
): FoundCause | null {
  let best: { confidence: number; rule: CauseDefinition['rules'][number] } | null = null;
  for (const rule of definition.rules) {
    if (!rule.when(context)) continue;
    const confidence = typeof rule.confidence === 'number' ? rule.confidence : rule.confidence(context);
    if (confidence > (best?.confidence ?? leastConfidence)) best = { confidence, rule };
  }
  if (best === null) return null;
  return {
    cause: definition.name,
    definition,
    confidence: Math.round(best.confidence * 100) / 100,
    evidence: best.rule.evidence(context),
  };
}
