/** A chosen plan as what the launch files are written from, or the reason why there are no files for it. */
import { message, type Message } from '../i18n/message';
import { canBeCut } from '../launch/pipelineModels';
import { launchOptimizers, scriptPixels, uncorrected, type LaunchPlan } from '../launch/plan';
import { knowsSdpa } from '../memory/codeLimits';
import { isZero, type Method, type PixelType } from '../memory/configuration';
import type { Architecture } from '../model/architecture';
import type { Plan } from './types';

export interface LaunchModel {
  readonly architecture: Architecture;
  /** Any name; made safe for files here. */
  readonly name: string;
  /** The text of its config.json. */
  readonly configJson: string;
}

export type LaunchAnswer =
  { readonly kind: 'plan'; readonly plan: LaunchPlan } | { readonly kind: 'refused'; readonly why: Message };

/** Settings that `train.py` cannot carry out are refused, never replaced. */
export function launchPlanOf(plan: Plan, model: LaunchModel): LaunchAnswer {
  const { strategy } = plan;
  const optimizer = launchOptimizers.find((known) => known === plan.optimizer);
  if (optimizer === undefined || (isZero(strategy) && !isDeepSpeedsOptimizer(plan)))
    return refused(message('strategy.launchOptimizer', { optimizer: plan.optimizer }));
  const checkpointing = plan.checkpointing.kind;
  if (checkpointing !== 'none' && checkpointing !== 'full')
    return refused(message('strategy.launchCheckpointing'));
  const task = taskOf(model.architecture);
  if (task === null)
    return refused(message('strategy.launchModel', { className: model.architecture.className }));
  const { method } = plan.request.training;
  const obstacle = obstacleOf(plan, model.architecture);
  if (obstacle !== null) return refused(obstacle);
  return {
    kind: 'plan',
    plan: {
      name: safeName(model.name),
      task,
      configJson: model.configJson,
      method: method.kind,
      lora: loraOf(method),
      doubleQuant: method.kind === 'qlora' && method.doubleQuantization,
      precision: plan.precision,
      optimizer,
      strategy,
      world: plan.world,
      nodes: 1,
      schedule: plan.schedule,
      stageLayers: plan.stageLayers,
      offload: plan.offload,
      checkpointing,
      // A class with one attention of its own refuses to be asked for another, which the plan did not count either.
      attention: knowsSdpa(model.architecture) ? plan.attention : 'eager',
      microBatch: plan.microBatch,
      accumulationSteps: plan.accumulationSteps,
      gradientSync: plan.gradientSync,
      sequence: plan.request.training.sequence,
      gradientClip: plan.request.training.clipGradients,
      expandableSegments: plan.expandableSegments,
      planned: plan.cards.map(({ allocatedPeakBytes, contextBytes, processBytes, reservedPeakBytes }) => ({
        allocatedPeakBytes,
        reservedPeakBytes,
        contextBytes,
        processBytes,
      })),
      correction: uncorrected,
    },
  };
}

/** In which type images reach the model: as the script gives them where there is one, else as in what was measured. */
export const pixelsFor = (architecture: Architecture): PixelType =>
  taskOf(architecture) === 'image' ? scriptPixels : 'fp32';

/**
 * DeepSpeed makes AdamW of its own from its configuration: one fused kernel on the card, or one on the processor, for which the other ways
 * to run AdamW on the card make no difference.
 */
const isDeepSpeedsOptimizer = ({ offload, optimizer }: Plan): boolean =>
  optimizer === 'adamw-fused' ||
  (offload !== 'none' && (optimizer === 'adamw' || optimizer === 'adamw-loop'));

const refused = (why: Message): LaunchAnswer => ({ kind: 'refused', why });

/** What the script of a strategy cannot do together with something else of the plan; null: nothing. */
function obstacleOf(plan: Plan, { className, modelType }: Architecture): Message | null {
  const { method, clipGradients } = plan.request.training;
  const together = (setting: string): Message =>
    message('strategy.launchTogether', { strategy: plan.strategy, setting });
  const isStaged = plan.strategy === 'pipeline' && plan.schedule !== 'sequential';
  if (isStaged && !canBeCut(modelType)) return message('strategy.launchPipelineModel', { className });
  if (!isStaged && !['dp', 'pipeline', 'tensor'].includes(plan.strategy)) return null;
  if (method.kind === 'qlora') return together('qlora');
  // The thread of the second card recomputes attention with another kernel, which PyTorch 2.11 refuses (CheckpointError).
  if (plan.strategy === 'dp' && plan.checkpointing.kind !== 'none') return together('checkpointing');
  if (!isStaged && plan.strategy !== 'tensor') return null;
  if (method.kind === 'lora') return together('lora');
  // Each rank would scale and clip by what it alone has seen.
  if (plan.precision === 'amp-fp16') return together('amp-fp16');
  return clipGradients && plan.strategy === 'tensor' ? together('grad-clip') : null;
}

function loraOf(method: Method): LaunchPlan['lora'] {
  if (method.kind === 'full') return null;
  const { adapterType, alpha, dropout, rank, targets } = method.adapters;
  return { rank, alpha, dropout, targets, dtype: adapterType };
}

/** Null where the script has neither a loss nor a batch for the model. */
function taskOf({ head, stacks }: Architecture): LaunchPlan['task'] | null {
  if (head.kind === 'classifier')
    return stacks.length === 1 && stacks[0]?.inputs.kind === 'patches' ? 'image' : null;
  if (head.kind !== 'language-model' || stacks.some(({ inputs }) => inputs.kind !== 'tokens')) return null;
  return head.objective;
}

function safeName(name: string): string {
  const safe = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[-.]+|(?<![-.])[-.]+$/g, '');
  return safe === '' ? 'model' : safe.slice(0, 60);
}
