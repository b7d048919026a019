import { message } from '../../i18n/message';
import type { CaseInLog } from '../case';
import { outside, ownTensors, progressAt, requestOfCard } from './evidence';
import { cardIsFullOfOwn, freeIsEnough, hasCardNumbers, othersHoldMuch, ownShare } from './numbers';
import { has, isStory, told, type Rule } from './rule';

/**
 * The card was filled by this process, and the text shows in which phase: research/oom.md, section 2, step 10. A phase
 * says nothing where the numbers point elsewhere (another holder, a refusal with enough free).
 */
export const phaseRules: readonly Rule[] = [
  {
    cause: 'optimizer_state_first_step',
    when: (at) => mayBeOwnFault(at) && inOptimizerStep(at),
    confidence: (at) => {
      const step = stepNumber(at);
      if (step === null) return ofCut(at, 0.8);
      return ofCut(at, step <= 1 ? 0.86 : has(at, 'optimizerStateFrame') ? 0.6 : 0.3);
    },
    evidence: (at) => [message('doctorEvidence.optimizerFrame'), ...progressAt(at), ...ownTensors(at)],
  },
  {
    cause: 'optimizer_step_peak',
    when: (at) => mayBeOwnFault(at) && inOptimizerStep(at),
    confidence: (at) => {
      const step = stepNumber(at);
      if (step === null) return ofCut(at, has(at, 'foreachFrame') ? 0.78 : 0.6);
      return ofCut(at, step > 1 ? 0.8 : 0.3);
    },
    evidence: (at) => [message('doctorEvidence.optimizerFrame'), ...progressAt(at)],
  },
  {
    cause: 'logits_peak',
    // Saving names the head's weight, too.
    when: (at) => ownFault(at) && has(at, 'lossFrame') && !has(at, 'fsdpSaveWarning', 'saveFrame'),
    confidence: (at) => (has(at, 'userLossFrame') ? 0.66 : 0.8),
    evidence: (at) => [message('doctorEvidence.lossFrame'), ...requestOfCard(at)],
  },
  {
    cause: 'custom_loss_extra_logits',
    when: (at) => ownFault(at) && has(at, 'userLossFrame'),
    confidence: (at) => (has(at, 'lossFrame') ? 0.5 : 0.6),
    evidence: (at) => [message('doctorEvidence.userLossFrame'), ...requestOfCard(at)],
  },
  {
    cause: 'eval_logits_accumulation',
    when: (at) => ownFault(at) && (inEvaluation(at) || has(at, 'concatenateFrame')),
    confidence: (at) => {
      if (has(at, 'concatenateFrame')) return 0.87;
      if (at.it.growth !== null) return 0.8;
      const step = at.it.progress?.phase === 'evaluation' ? at.it.progress.done : null;
      return step !== null && step > 20 ? 0.55 : 0.3;
    },
    evidence: (at) => [
      message(has(at, 'concatenateFrame') ? 'doctorEvidence.concatenateFrame' : 'doctorEvidence.evaluation'),
      ...progressAt(at),
      ...growthEvidence(at),
    ],
  },
  {
    cause: 'eval_without_no_grad',
    when: (at) => ownFault(at) && inEvaluation(at),
    confidence: (at) => (has(at, 'concatenateFrame') ? 0.3 : 0.78),
    evidence: (at) => [message('doctorEvidence.evaluation'), ...progressAt(at)],
  },
  {
    cause: 'eval_peak',
    when: (at) => ownFault(at) && inEvaluation(at),
    confidence: (at) => (has(at, 'concatenateFrame') ? 0.25 : 0.68),
    evidence: (at) => [message('doctorEvidence.evaluation'), ...progressAt(at)],
  },
  {
    cause: 'checkpoint_save_gather',
    when: (at) =>
      ownFault(at) && has(at, 'saveFrame', 'fsdpSaveWarning', 'saveWords') && !inOptimizerStep(at),
    confidence: (at) => (has(at, 'fsdpSaveWarning') ? 0.85 : has(at, 'saveFrame') ? 0.78 : 0.35),
    evidence: () => [message('doctorEvidence.saveFrame')],
  },
  {
    cause: 'resume_double_state',
    when: (at) => ownFault(at) && isResuming(at),
    confidence: (at) =>
      has(at, 'loadStateDictFrame')
        ? has(at, 'resumeWords', 'resumeFrame')
          ? 0.84
          : 0.7
        : has(at, 'torchLoadFrame')
          ? 0.66
          : 0.45,
    evidence: (at) => [message('doctorEvidence.resume'), ...ownTensors(at)],
  },
  {
    cause: 'replicated_model_per_rank',
    when: (at) => ownFault(at) && has(at, 'loadFrame', 'paramArgWords') && isOneOfManyRanks(at),
    confidence: 0.78,
    evidence: (at) => [
      at.it.rank === null
        ? message('doctorEvidence.loadOfWeights')
        : message('doctorEvidence.loadOnEachRank', { rank: at.it.rank }),
      ...ownTensors(at),
    ],
  },
  {
    cause: 'too_small_card_or_batch',
    when: (at) => ownFault(at) && has(at, 'loadFrame', 'paramArgWords', 'moveModelFrame'),
    confidence: (at) => (isOneOfManyRanks(at) ? 0.5 : 0.8),
    evidence: (at) => [message('doctorEvidence.whileLoading'), ...ownTensors(at)],
  },
  {
    cause: 'warmup_peak',
    when: (at) => ownFault(at) && (has(at, 'warmupFrame') || told(at, 'vllm-sampler-warmup', 'tgi-warmup')),
    confidence: (at) => (told(at, 'vllm-sampler-warmup', 'tgi-warmup') ? 0.9 : 0.78),
    evidence: (at) => [message('doctorEvidence.warmup'), ...ownTensors(at)],
  },
  {
    cause: 'warmup_peak',
    when: (at) =>
      ownFault(at) &&
      !has(at, 'warmupFrame') &&
      !told(at, 'vllm-sampler-warmup', 'tgi-warmup') &&
      has(at, 'workerWords') &&
      at.it.progress === null,
    confidence: (at) => (has(at, 'warmupWords') ? 0.7 : sameRequestOnRanks(at) > 1 ? 0.55 : 0.3),
    evidence: (at) => [message('doctorEvidence.servingStart'), ...ownTensors(at)],
  },
  {
    cause: 'warmup_peak',
    when: (at) => told(at, 'vllm-no-cache-blocks', 'sglang-memory-pool'),
    confidence: 0.6,
    evidence: () => [message('doctorEvidence.noCacheRoom')],
  },
  {
    cause: 'dense_sample_spike',
    when: (at) => ownFault(at) && has(at, 'denseFrame', 'manyInstances'),
    confidence: (at) => (told(at, 'd2-retry') ? 0.55 : 0.78),
    evidence: () => [message('doctorEvidence.denseFrame')],
  },
  {
    cause: 'batch_too_large',
    when: (at) => told(at, 'd2-retry'),
    confidence: 0.6,
    evidence: () => [message('doctorEvidence.retried')],
  },
  {
    cause: 'long_sample_spike',
    when: (at) => ownFault(at) && has(at, 'retryWords') && !told(at, 'd2-retry'),
    confidence: 0.78,
    evidence: (at) => [message('doctorEvidence.retried'), ...progressAt(at)],
  },
  {
    cause: 'long_sample_spike',
    when: (at) => ownFault(at) && !has(at, 'retryWords') && isLateStep(at) && !inEvaluation(at),
    confidence: (at) => ((at.it.progress?.done ?? 0) >= 200 ? 0.6 : 0.4),
    evidence: progressAt,
  },
  {
    cause: 'dataparallel_gather',
    when: (at) => isStory(at, 'gpu-oom') && has(at, 'dataParallelFrame'),
    confidence: (at) => (at.it.facts.gpuIndex === 0 || at.it.facts.gpuIndex === null ? 0.85 : 0.45),
    evidence: () => [message('doctorEvidence.dataParallelFrame')],
  },
  {
    cause: 'leak_graph_retained',
    when: (at) => isStory(at, 'gpu-oom') && has(at, 'leakWords'),
    confidence: 0.7,
    evidence: (at) => [message('doctorEvidence.growth'), ...progressAt(at)],
  },
  {
    cause: 'leak_graph_retained',
    when: (at) => ownFault(at) && at.it.growth !== null && !inEvaluation(at),
    confidence: 0.78,
    evidence: growthEvidence,
  },
  {
    cause: 'leak_graph_retained',
    // One snapshot cannot tell a leak from a batch that is too large (causes.md, rivals).
    when: (at) => ownFault(at) && isLateStep(at) && cardIsFullOfOwn(at) && !has(at, 'leakWords'),
    confidence: 0.25,
    evidence: (at) => [message('doctorEvidence.oneSnapshot'), ...progressAt(at)],
  },
  {
    cause: 'all_ranks_on_gpu0',
    when: (at) =>
      isStory(at, 'gpu-oom') &&
      !hasCardNumbers(at) &&
      has(at, 'deserializeOnCardFrame') &&
      isOneOfManyRanks(at),
    confidence: 0.7,
    evidence: (at) => [message('doctorEvidence.loadsOntoCard0'), ...outside(at)],
  },
];

function growthEvidence({ it }: CaseInLog) {
  if (it.growth === null) return [];
  const { readings, first, last } = it.growth;
  return [message('doctorEvidence.printedGrowth', { readings, first, last })];
}

/** Nothing in the numbers says that the fault lies outside this process. */
function ownFault(at: CaseInLog): boolean {
  if (!isStory(at, 'gpu-oom')) return false;
  if (freeIsEnough(at) && at.it.fresh) return false;
  return !(othersHoldMuch(at) && ownShare(at) < 0.4);
}

/**
 * A traceback without its end names no error. Where an optimizer takes its step hardly anything but memory fails, so it
 * is worth a guess; elsewhere a shape, a type or an index fails as well.
 */
function mayBeOwnFault(at: CaseInLog): boolean {
  return ownFault(at) || isStory(at, 'traceback');
}

const mostOfCut = 0.45;

function ofCut(at: CaseInLog, confidence: number): number {
  return isStory(at, 'traceback') ? confidence * mostOfCut : confidence;
}

function inOptimizerStep(at: CaseInLog): boolean {
  return has(at, 'optimizerStepFrame') && !has(at, 'loadStateDictFrame', 'backwardFrame');
}

function stepNumber(at: CaseInLog): number | null {
  return at.it.progress?.phase === 'training' ? at.it.progress.done : null;
}

function inEvaluation(at: CaseInLog): boolean {
  if (has(at, 'backwardFrame')) return false;
  return has(at, 'evaluationFrame', 'evaluationWords') || at.it.progress?.phase === 'evaluation';
}

function isResuming(at: CaseInLog): boolean {
  if (has(at, 'backwardFrame')) return false;
  if (has(at, 'loadStateDictFrame')) return !has(at, 'loadFrame');
  return has(at, 'resumeWords', 'resumeFrame') || (has(at, 'torchLoadFrame') && cardIsFullOfOwn(at));
}

function isOneOfManyRanks(at: CaseInLog): boolean {
  return (
    at.it.rank !== null ||
    (at.it.facts.gpuIndex ?? 0) > 0 ||
    new Set(at.log.map((other) => other.rank)).size > 1
  );
}

function sameRequestOnRanks(at: CaseInLog): number {
  const tried = at.it.facts.triedBytes;
  if (tried === null || at.it.rank === null) return 0;
  return new Set(at.log.filter((other) => other.facts.triedBytes === tried).map((other) => other.rank)).size;
}

/** Far from the start: the first batches fitted. */
function isLateStep(at: CaseInLog): boolean {
  const { progress } = at.it;
  if (progress?.phase !== 'training') return false;
  return (
    progress.done >= 100 ||
    (progress.done >= 20 && progress.total !== null && progress.done > 0.2 * progress.total)
  );
}
