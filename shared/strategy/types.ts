/** What a planner is asked and what it answers. Sizes are bytes, times seconds. */
import type { Message } from '../i18n/message';
import type { EstimateRequest, GradientSync, Offload, Precision, Strategy } from '../memory/configuration';
import type { CardEstimate } from '../memory/estimate';
import type { AttentionRequest } from '../memory/operations/attention/request';
import type { Checkpointing } from '../memory/tape/checkpointing';
import type { RequestKey } from '../memory/request';
import type { OptimizerName } from '../memory/training/optimizers';
import type { Schedule } from '../memory/training/pipeline/schedule';
import type { Architecture } from '../model/architecture';
import type { QuickFit } from './judge';
import type { LinkSpeeds } from './links';

/** A card to plan for, as it is now. */
export interface PlanCard {
  /** Its place as nvidia-smi counts. */
  readonly index: number;
  readonly totalBytes: number;
  /** What a new process can have of it; equal to the total on a card that nobody uses. */
  readonly freeBytes: number;
}

export interface PlanQuestion {
  readonly architecture: Architecture;
  /** The wishes, with the command's defaults where there is none. */
  readonly request: EstimateRequest;
  /** Keys that were wished for and must be met by every plan; the planner chooses the others. */
  readonly wished: ReadonlySet<RequestKey>;
  /** At least one. */
  readonly cards: readonly PlanCard[];
  readonly links: LinkSpeeds;
  /** Samples of one optimizer step over all cards; null: eight a card. */
  readonly globalBatch: number | null;
  /** Memory of the machine that offloading may use; null: not known. */
  readonly hostBytes: number | null;
}

/** One way to train, not judged yet. */
export interface PlanCandidate {
  readonly request: EstimateRequest;
  /** The cards that it uses, largest first, one a rank. */
  readonly cards: readonly PlanCard[];
  /**
   * True where other parameters are trained than was asked: adapters instead of all. The same parameters with fewer bytes of state
   * (weights in bf16, an optimizer in 8 bits) are what was asked.
   */
  readonly changesTraining: boolean;
}

export type PlanVerdict = 'fits' | 'tight';

/** A candidate whose micro-batch is chosen and whose peaks are known from the quick form. */
export interface Draft {
  readonly candidate: PlanCandidate;
  readonly fit: QuickFit;
  readonly verdict: PlanVerdict;
  readonly secondsPerSample: number;
}

/** A judged plan: cards as `estimate` gives them. */
export interface Plan {
  readonly rank: number;
  readonly method: 'full' | 'lora' | 'qlora';
  readonly strategy: Strategy;
  readonly world: number;
  readonly precision: Precision;
  readonly optimizer: OptimizerName;
  readonly checkpointing: Checkpointing;
  readonly attention: AttentionRequest;
  readonly offload: Offload;
  /** How the stages of a pipeline take turns; null for other strategies. */
  readonly schedule: Schedule | null;
  /** Layers of each stage of a pipeline; null for other strategies. */
  readonly stageLayers: readonly number[] | null;
  readonly expandableSegments: boolean;
  readonly microBatch: number;
  readonly accumulationSteps: number;
  /** With which micro-batches FSDP and DDP exchange gradients; null for strategies that have one way. */
  readonly gradientSync: GradientSync | null;
  readonly verdict: PlanVerdict;
  readonly cards: readonly CardEstimate[];
  /** nvidia-smi's index of each rank's card. */
  readonly cardIndices: readonly number[];
  readonly hostBytes: number;
  /** Time of a sample; 1: the fastest plan that fits. */
  readonly relativeStepTime: number;
  readonly why: Message;
  /** As the candidate's. */
  readonly changesTraining: boolean;
  readonly measured: boolean;
  /** What the engine was asked, for launch files and the chart of a step. */
  readonly request: EstimateRequest;
}

/** What a card would have to offer at least, and what the one that decides has, in bytes. */
export interface SizeGap {
  /** A lower bound, CUDA's context included: where states alone are too large, no activation is counted. */
  readonly needBytes: number;
  readonly cardBytes: number;
}

export interface Refusal {
  readonly strategy: Strategy;
  readonly method: 'full' | 'lora' | 'qlora';
  readonly why: Message;
  /** Null where it is refused for another reason than a card's size. */
  readonly gap: SizeGap | null;
}

export interface Planning {
  /** Best first. */
  readonly plans: readonly Plan[];
  readonly refused: readonly Refusal[];
  /** What was taken for granted, such as the links between the cards. */
  readonly assumptions: readonly Message[];
}

/** What a planning tells while it goes on. Drafts come within milliseconds, judged plans follow. */
export type PlanningUpdate =
  | { readonly kind: 'draft'; readonly draft: Draft }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'judged'; readonly done: number; readonly total: number };
