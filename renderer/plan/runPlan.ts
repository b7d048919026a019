import type { Locale } from '../../shared/i18n/translate';
import type { Message } from '../../shared/i18n/message';
import type { LaunchFile, LaunchPlan } from '../../shared/launch/plan';
import type { Ask, AskAnswer } from '../../shared/strategy/ask';
import type { PlanDetail } from '../../shared/strategy/detail';
import type { Plan, PlanCard, Refusal } from '../../shared/strategy/types';
import type { ModelAnswer, PlanAnswers } from '../../shared/strategy/wizard/answers';
import type { FirstAnswer } from '../../shared/strategy/wizard/firstAnswer';
import type { Machine } from '../../shared/strategy/wizard/machine';
import type { ModelFacts } from '../../shared/strategy/wizard/model';
import type { PlanRow } from '../../shared/strategy/wizard/rows';
import { WorkerCalls } from '../ui/workerCalls';

export interface CatalogueLine {
  readonly id: string;
  readonly name: string;
  readonly parameters: number;
}

/** A whole planning, as the page shows it. */
export interface Planned {
  readonly kind: 'planned';
  /** Names the planning in questions about its plans. */
  readonly planning: number;
  readonly plans: readonly Plan[];
  /** A row for each plan, in the same order. */
  readonly rows: readonly PlanRow[];
  readonly refused: readonly Refusal[];
  readonly answer: FirstAnswer;
  readonly assumptions: readonly Message[];
  readonly warnings: readonly Message[];
  readonly cards: readonly PlanCard[];
  readonly hostBytes: number | null;
  readonly globalBatch: number;
}

/** The step whose answer stands in the way of planning. */
export interface Incomplete {
  readonly kind: 'incomplete';
  readonly step: 'model' | 'cards' | 'method';
  readonly why: Message;
}

export type PlanProgress =
  | { readonly kind: 'model'; readonly facts: ModelFacts }
  | {
      readonly kind: 'drafts';
      readonly rows: readonly PlanRow[];
      readonly lookedAt: number;
    }
  | { readonly kind: 'judging'; readonly done: number; readonly total: number };

export type FilesAnswer =
  | { readonly kind: 'files'; readonly plan: LaunchPlan; readonly files: readonly LaunchFile[] }
  | { readonly kind: 'noFiles'; readonly why: Message };

export type ModelAnswered =
  | { readonly kind: 'model'; readonly facts: ModelFacts }
  | { readonly kind: 'refused'; readonly why: Message };

interface Choices {
  readonly answers: PlanAnswers;
  readonly machine: Machine;
}

interface Chosen {
  readonly planning: number;
  readonly rank: number;
}

/** What the page asks of the worker. A new `plan` question drops the one before. */
export type PlanWork =
  | ({ readonly kind: 'plan' } & Choices)
  | ({ readonly kind: 'ask'; readonly ask: Ask } & Choices)
  | ({ readonly kind: 'detail' } & Chosen)
  | ({ readonly kind: 'files'; readonly locale: Locale } & Chosen)
  | { readonly kind: 'model'; readonly answer: ModelAnswer }
  | { readonly kind: 'catalogue' };

export type PlanReplyContent =
  | PlanProgress
  | Planned
  | Incomplete
  | FilesAnswer
  | { readonly kind: 'refused'; readonly why: Message }
  | { readonly kind: 'detail'; readonly detail: PlanDetail; readonly isWhole: boolean }
  | { readonly kind: 'answer'; readonly answer: AskAnswer }
  | { readonly kind: 'catalogue'; readonly lines: readonly CatalogueLine[] }
  /** A newer question took its place, or the planning is not there any more. */
  | { readonly kind: 'dropped' }
  | { readonly kind: 'failed'; readonly reason: string };

export type PlanWorkMessage = PlanWork & { readonly id: number };
export type PlanReply = PlanReplyContent & { readonly id: number };

/** Plans away from the page. Null answers: a newer question took the place of this one. */
export interface PlanRunner {
  plan(
    answers: PlanAnswers,
    machine: Machine,
    onprogress: (progress: PlanProgress) => void,
  ): Promise<Planned | Incomplete | null>;
  /** `onfirst` gets the course of the step before the changes are worked out. */
  detail(
    planning: number,
    rank: number,
    onfirst: (detail: PlanDetail) => void,
  ): Promise<PlanDetail | { readonly kind: 'refused'; readonly why: Message } | null>;
  files(planning: number, rank: number, locale: Locale): Promise<FilesAnswer | null>;
  model(answer: ModelAnswer): Promise<ModelAnswered>;
  catalogue(): Promise<readonly CatalogueLine[]>;
  ask(answers: PlanAnswers, machine: Machine, ask: Ask): Promise<AskAnswer | Incomplete>;
  /** Ends what was asked by `ask`; its promise is never settled. */
  stopAsking(): void;
}

/** Two workers: questions that are asked back take seconds and must not keep plans waiting. */
export function workerRunner(): PlanRunner {
  const make = (): Worker => new Worker(new URL('./planWorker.ts', import.meta.url), { type: 'module' });
  const planner = new WorkerCalls<PlanReply>(make);
  const asker = new WorkerCalls<PlanReply>(make);
  const work = <Answer>(
    calls: WorkerCalls<PlanReply>,
    question: PlanWork,
    take: (reply: PlanReply) => { readonly answer: Answer } | null,
  ): Promise<Answer> =>
    calls.ask(question, (reply) => {
      if (reply.kind === 'failed') throw new Error(reply.reason);
      return take(reply);
    });
  return {
    plan: (answers, machine, onprogress) =>
      work<Planned | Incomplete | null>(planner, { kind: 'plan', answers, machine }, (reply) => {
        if (reply.kind === 'dropped') return { answer: null };
        if (reply.kind === 'planned' || reply.kind === 'incomplete') return { answer: reply };
        if (reply.kind === 'model' || reply.kind === 'drafts' || reply.kind === 'judging') onprogress(reply);
        return null;
      }),
    detail: (planning, rank, onfirst) =>
      work<Awaited<ReturnType<PlanRunner['detail']>>>(
        planner,
        { kind: 'detail', planning, rank },
        (reply) => {
          if (reply.kind === 'dropped') return { answer: null };
          if (reply.kind === 'refused') return { answer: reply };
          if (reply.kind !== 'detail') return null;
          if (reply.isWhole) return { answer: reply.detail };
          onfirst(reply.detail);
          return null;
        },
      ),
    files: (planning, rank, locale) =>
      work<FilesAnswer | null>(planner, { kind: 'files', planning, rank, locale }, (reply) => {
        if (reply.kind === 'dropped') return { answer: null };
        return reply.kind === 'files' || reply.kind === 'noFiles' ? { answer: reply } : null;
      }),
    model: (answer) =>
      work<ModelAnswered>(planner, { kind: 'model', answer }, (reply) =>
        reply.kind === 'model' || reply.kind === 'refused' ? { answer: reply } : null,
      ),
    catalogue: () =>
      work(planner, { kind: 'catalogue' }, (reply) =>
        reply.kind === 'catalogue' ? { answer: reply.lines } : null,
      ),
    ask: (answers, machine, ask) =>
      work<AskAnswer | Incomplete>(asker, { kind: 'ask', answers, machine, ask }, (reply) => {
        if (reply.kind === 'answer') return { answer: reply.answer };
        return reply.kind === 'incomplete' ? { answer: reply } : null;
      }),
    stopAsking: () => asker.stop(),
  };
}
