import type { Message } from '../../shared/i18n/message';
import type { Locale } from '../../shared/i18n/translate';
import { launchFolder } from '../../shared/launch/folder';
import type { AppliedCorrection, LaunchPlan } from '../../shared/launch/plan';
import { parameterCount } from '../../shared/model/inventory';
import { catalogue } from '../../shared/model/catalogue/catalogue';
import { readConfig } from '../../shared/families/readModel';
import { correctedPlans } from '../../shared/receipts/correctedPlans';
import {
  correctedEstimates,
  correctionTexts,
  noCorrection,
  type Correction,
} from '../../shared/receipts/corrections';
import { ask } from '../../shared/strategy/ask';
import { changesOf, detailOf, largestOf } from '../../shared/strategy/detail';
import { globalBatchOf } from '../../shared/strategy/batch';
import { launchPlanOf, type LaunchModel } from '../../shared/strategy/launchPlan';
import { planning, rankDrafts } from '../../shared/strategy/plan';
import type { Draft, Plan, Planning, PlanQuestion } from '../../shared/strategy/types';
import { firstAnswer } from '../../shared/strategy/wizard/firstAnswer';
import { modelFacts, readModelAnswer, type ChosenModel } from '../../shared/strategy/wizard/model';
import { readQuestion } from '../../shared/strategy/wizard/question';
import { rowOfPlan, rowsOfDrafts, shownDrafts } from '../../shared/strategy/wizard/rows';
import type {
  CatalogueLine,
  Incomplete,
  Planned,
  PlanReplyContent,
  PlanWork,
  PlanWorkMessage,
} from './runPlan';

type Answer = (reply: PlanReplyContent) => void;

interface Known {
  readonly model: ChosenModel;
  readonly question: PlanQuestion;
  readonly plans: readonly Plan[];
  readonly correction: Correction;
}

/** Drafts are told no more often than they can be read. */
const draftsMilliseconds = 60;

/**
 * Answers the wizard's questions one step at a time. Between two steps it lets the worker read its post, so that a new
 * question takes the place of an old one without the worker being ended, which would lose all that it has compiled.
 */
export class PlanDesk {
  #newest = 0;
  #known: { readonly planning: number; readonly known: Known } | null = null;
  #readModel: { readonly key: string; readonly model: ChosenModel } | null = null;

  /**
   * @param pause lets the worker read its post; settles when it has
   * @param milliseconds a clock for pacing only
   */
  constructor(
    private readonly pause: () => Promise<void>,
    private readonly milliseconds: () => number,
  ) {}

  async take({ id, ...work }: PlanWorkMessage, answer: Answer): Promise<void> {
    try {
      await this.#answer(id, work, answer);
    } catch (error) {
      answer({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
    }
  }

  async #answer(id: number, work: PlanWork, answer: Answer): Promise<void> {
    switch (work.kind) {
      case 'plan':
        this.#newest = id;
        return this.#plan(id, work, answer);
      case 'detail':
        return this.#detail(work, answer);
      case 'files':
        return this.#files(work, answer);
      case 'model': {
        const reading = readModelAnswer(work.answer);
        answer(reading.kind === 'refused' ? reading : { kind: 'model', facts: modelFacts(reading.model) });
        return;
      }
      case 'catalogue':
        answer({ kind: 'catalogue', lines: catalogueLines() });
        return;
      case 'ask': {
        const read = this.#read(work);
        answer(read.kind === 'incomplete' ? read : { kind: 'answer', answer: ask(read.question, work.ask) });
      }
    }
  }

  async #plan(id: number, work: Extract<PlanWork, { kind: 'plan' }>, answer: Answer): Promise<void> {
    // Several changes in one go leave only the last to be planned.
    await this.pause();
    if (this.#newest !== id) return answer({ kind: 'dropped' });
    const read = this.#read(work);
    if (read.model !== null) answer({ kind: 'model', facts: modelFacts(read.model) });
    if (read.kind === 'incomplete') return answer({ kind: 'incomplete', step: read.step, why: read.why });
    const result = await this.#steps(id, read.question, answer);
    if (result === null) return answer({ kind: 'dropped' });
    const { refused, assumptions } = result;
    const { question, model, warnings } = read;
    const correction = work.answers.cards.kind === 'given' ? noCorrection : work.machine.correction;
    const plans = correctedPlans(result.plans, correction);
    const rows = plans.map((plan) => rowOfPlan(plan, question.cards, noFilesOf(plan, model)));
    this.#known = { planning: id, known: { model, question, plans, correction } };
    const planned: Planned = {
      kind: 'planned',
      planning: id,
      plans,
      rows,
      refused,
      answer: firstAnswer(question.request.training.method.kind, rows, refused),
      assumptions: [...assumptions, ...correctionTexts(correction, question.request.card)],
      warnings: [...model.architecture.warnings, ...warnings],
      cards: question.cards,
      hostBytes: question.hostBytes,
      globalBatch: globalBatchOf(question),
    };
    answer(planned);
  }

  /** Goes through the planning and tells how far it is; null where a newer question came. */
  async #steps(id: number, question: PlanQuestion, answer: Answer): Promise<Planning | null> {
    const drafts: Draft[] = [];
    let lookedAt = 0;
    const steps = planning(question);
    let told = this.milliseconds();
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value;
      const { value } = step;
      if (value.kind === 'judged') answer({ kind: 'judging', done: value.done, total: value.total });
      else lookedAt += 1;
      if (value.kind === 'draft') drafts.push(value.draft);
      const now = this.milliseconds();
      if (value.kind !== 'judged' && now - told >= draftsMilliseconds) {
        told = now;
        answer({ kind: 'drafts', rows: rowsOfDrafts(shownDrafts(rankDrafts(drafts))), lookedAt });
      }
      await this.pause();
      if (this.#newest !== id) return null;
    }
  }

  async #detail({ planning, rank }: Extract<PlanWork, { kind: 'detail' }>, answer: Answer): Promise<void> {
    const found = this.#planOf(planning, rank);
    if (found === null) return answer({ kind: 'dropped' });
    const { correction, plan, question } = found;
    const first = detailOf(question, plan);
    if (first.kind === 'refused') return answer(first);
    const cards = correctedEstimates(first.detail.cards, correction);
    answer({ kind: 'detail', detail: { ...first.detail, cards }, isWhole: false });
    const changes = [];
    for (const change of changesOf(question, plan)) {
      changes.push(change);
      await this.pause();
      if (this.#planOf(planning, rank) === null) return answer({ kind: 'dropped' });
    }
    const maxMicroBatch = largestOf(question, plan);
    answer({ kind: 'detail', detail: { ...first.detail, cards, changes, maxMicroBatch }, isWhole: true });
  }

  #files({ locale, planning, rank }: Extract<PlanWork, { kind: 'files' }>, answer: Answer): void {
    const found = this.#planOf(planning, rank);
    if (found === null) return answer({ kind: 'dropped' });
    const { correction, model, plan } = found;
    const written = launchPlanOf(plan, launchModelOf(model));
    answer(
      written.kind === 'refused'
        ? { kind: 'noFiles', why: written.why }
        : filesOf({ ...written.plan, correction: appliedOf(correction) }, locale),
    );
  }

  /** A plan of the last planning; null where that was another one, or a newer one is being made. */
  #planOf(planning: number, rank: number): (Known & { readonly plan: Plan }) | null {
    if (this.#known?.planning !== planning || this.#newest !== planning) return null;
    const plan = this.#known.known.plans.find((one) => one.rank === rank);
    return plan === undefined ? null : { ...this.#known.known, plan };
  }

  #read({ answers, machine }: Extract<PlanWork, { kind: 'plan' | 'ask' }>):
    | {
        readonly kind: 'question';
        readonly model: ChosenModel;
        readonly question: PlanQuestion;
        readonly warnings: Planned['warnings'];
      }
    | (Incomplete & { readonly model: ChosenModel | null }) {
    const key = JSON.stringify(answers.model);
    if (this.#readModel?.key !== key) {
      const reading = readModelAnswer(answers.model);
      if (reading.kind === 'refused')
        return { kind: 'incomplete', step: 'model', why: reading.why, model: null };
      this.#readModel = { key, model: reading.model };
    }
    const { model } = this.#readModel;
    return { ...readQuestion(answers, machine, model), model };
  }
}

const launchModelOf = (model: ChosenModel): LaunchModel => ({ ...model, name: model.id ?? model.name });

function noFilesOf(plan: Plan, model: ChosenModel): Message | null {
  const written = launchPlanOf(plan, launchModelOf(model));
  return written.kind === 'refused' ? written.why : null;
}

const filesOf = (plan: LaunchPlan, locale: Locale): PlanReplyContent => ({
  kind: 'files',
  plan,
  files: launchFolder(plan, locale),
});

/** What a later receipt has to take off again, or it would be learnt twice. */
const appliedOf = ({ contextBytes, share }: Correction): AppliedCorrection => ({
  contextBytes: contextBytes ?? 0,
  share: share ?? 0,
});

let lines: readonly CatalogueLine[] | null = null;

function catalogueLines(): readonly CatalogueLine[] {
  lines ??= catalogue.flatMap(({ config, id, name }) => {
    const reading = readConfig(config);
    return reading.kind === 'refused' ? [] : [{ id, name, parameters: parameterCount(reading.architecture) }];
  });
  return lines;
}
