/** Plans as lines for a person. */
import { message, type Message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import { parameterCount } from '../../shared/model/inventory';
import { printable } from '../../shared/printable';
import type { AskAnswer } from '../../shared/strategy/ask';
import { tightestCard } from '../../shared/strategy/tightest';
import type { Plan, Planning } from '../../shared/strategy/types';
import {
  checkpointingName,
  inWords,
  methodName,
  offloadName,
  optimizerName,
  precisionName,
  strategyName,
} from '../../shared/strategy/wizard/names';
import type { NamedModel } from './modelSource';
import { noFilesBecause } from './planFiles';

type Refused = Planning['refused'][number];

/** The model, the plans from the best on, what was refused and what was assumed. */
export function planningLines(
  model: NamedModel,
  { assumptions, plans, refused }: Planning,
  locale: Locale,
): readonly string[] {
  const { architecture, name } = model;
  const say = (text: Message): string => translate(locale, text);
  const lines = [
    say(
      message('planCommand.textModel', { name: printable(name), parameters: parameterCount(architecture) }),
    ),
    ...plans.flatMap((plan) => planLines(plan, model, locale)),
  ];
  if (plans.length === 0) lines.push(say(message('planCommand.textNone')));
  if (refused.length > 0) lines.push(say(message('planCommand.textRefused')));
  const [first] = refused;
  const isOneReason =
    refused.length > 2 && refused.every(({ why }) => JSON.stringify(why) === JSON.stringify(first?.why));
  if (isOneReason && first !== undefined) lines.push(`  ${say(inWords(first.why, say))}`);
  else
    for (const refusal of refused.filter((it) => !isSaidBefore(it, refused)))
      lines.push(`  ${say(refusalText(refusal, say))}`);
  if (assumptions.length > 0) lines.push(say(message('planCommand.textAssumed')));
  for (const assumption of assumptions) lines.push(`  ${say(assumption)}`);
  return lines;
}

function planLines(plan: Plan, model: NamedModel, locale: Locale): readonly string[] {
  const { cards, hostBytes, method, offload, optimizer, precision, rank, world } = plan;
  const say = (text: Message): string => translate(locale, text);
  const noFiles = noFilesBecause(plan, model);
  const verdict = message(plan.verdict === 'fits' ? 'planCommand.verdictFits' : 'planCommand.verdictTight');
  const head = {
    rank,
    strategy: say(strategyName(plan.strategy)),
    count: world,
    method: say(methodName(method)),
    precision: say(precisionName(precision)),
    optimizer: say(optimizerName(optimizer)),
    offload: say(offloadName(offload)),
    checkpointing: say(checkpointingName(plan.checkpointing.kind)),
  };
  const numbers = {
    micro: plan.microBatch,
    steps: plan.accumulationSteps,
    peak: tightestCard(cards)?.processBytes ?? 0,
    time: plan.relativeStepTime,
  };
  return [
    say(
      plan.strategy === 'single'
        ? message('planCommand.textPlanSingle', { ...head, verdict: say(verdict) })
        : message('planCommand.textPlan', { ...head, verdict: say(verdict) }),
    ),
    ...[
      message('planCommand.textNumbers', numbers),
      ...(plan.stageLayers === null
        ? []
        : [
            message('planCommand.textStages', {
              layers: plan.stageLayers.join(' + '),
              schedule: plan.schedule,
            }),
          ]),
      ...(hostBytes > 0 ? [message('planCommand.textHost', { bytes: hostBytes })] : []),
      ...(plan.changesTraining ? [message('planCommand.textChanges')] : []),
      ...(plan.measured ? [] : [message('planCommand.textExperimental')]),
      plan.why,
      ...(noFiles === null ? [] : [message('planCommand.textNoFiles', { why: say(noFiles) })]),
    ].map((detail) => `   ${say(detail)}`),
  ];
}

/** Where the gradients lie makes no difference to why full copies do not fit: that is said once. */
const isSaidBefore = ({ method, strategy, why }: Refused, refused: readonly Refused[]): boolean =>
  strategy === 'ddp-bucket-view' &&
  refused.some(
    (other) =>
      other.strategy === 'ddp' &&
      other.method === method &&
      JSON.stringify(other.why) === JSON.stringify(why),
  );

const refusalText = ({ method, strategy, why }: Refused, say: (text: Message) => string): Message =>
  message('planCommand.textRefusal', {
    strategy: say(strategyName(strategy)),
    method: say(methodName(method)),
    why: say(inWords(why, say)),
  });

/** The answer in a sentence, and the plan that it is of. */
export function askLines({ plan, why }: AskAnswer, model: NamedModel, locale: Locale): readonly string[] {
  return [translate(locale, why), ...(plan === null ? [] : planLines(plan, model, locale))];
}
