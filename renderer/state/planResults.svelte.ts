import type { Message } from '../../shared/i18n/message';
import type { Refusal } from '../../shared/strategy/types';
import type { PlanAnswers } from '../../shared/strategy/wizard/answers';
import type { Machine } from '../../shared/strategy/wizard/machine';
import type { ModelFacts } from '../../shared/strategy/wizard/model';
import type { PlanRow } from '../../shared/strategy/wizard/rows';
import type { Incomplete, Planned, PlanProgress, PlanRunner } from '../plan/runPlan';

/** How far a planning is; null while none goes on. */
export type Progress =
  | { readonly kind: 'drafting'; readonly count: number }
  | { readonly kind: 'judging'; readonly done: number; readonly total: number };

/** A planning that is done sooner than this goes straight from the rows before to the new ones. */
const draftsAfterMs = 250;

/** What the worker has answered so far. Rows of the answers before stay, dimmed, until there are others to show. */
export class PlanResults {
  facts = $state.raw<ModelFacts | null>(null);
  planned = $state.raw<Planned | null>(null);
  incomplete = $state.raw<Incomplete | null>(null);
  progress = $state.raw<Progress | null>(null);
  failed = $state(false);

  #drafts = $state.raw<readonly PlanRow[] | null>(null);
  #showsDrafts = $state(false);
  #number = 0;

  constructor(
    private readonly runner: PlanRunner,
    private readonly report: (error: unknown) => void,
    private readonly onplanned: (planned: Planned) => void,
  ) {}

  get #shownDrafts(): readonly PlanRow[] | null {
    if (this.#drafts === null || this.progress === null) return null;
    if (this.planned === null) return this.#drafts;
    return this.#showsDrafts && this.#drafts.length > 0 ? this.#drafts : null;
  }

  /** Plans where there are any, drafts while the first plans are being worked out. */
  get rows(): readonly PlanRow[] {
    return this.#shownDrafts ?? this.planned?.rows ?? [];
  }

  /** Told when all was looked at: until then another variant of a strategy may still do. */
  get refused(): readonly Refusal[] {
    return this.planned?.refused ?? [];
  }

  /** A planning goes on that nobody can overlook: what belongs to the answers before is not offered any more. */
  get takesLong(): boolean {
    return this.progress !== null && this.#showsDrafts;
  }

  /** The rows belong to answers that have changed since. */
  get isStale(): boolean {
    return (this.progress !== null && this.#shownDrafts === null) || this.incomplete !== null || this.failed;
  }

  get why(): Message | null {
    return this.incomplete?.why ?? null;
  }

  /** Plans anew; a planning that goes on is dropped. */
  async start(answers: PlanAnswers, machine: Machine): Promise<void> {
    this.#number += 1;
    const number = this.#number;
    this.progress = { kind: 'drafting', count: 0 };
    this.#drafts = null;
    this.#showsDrafts = false;
    const timer = setTimeout(() => {
      if (number === this.#number) this.#showsDrafts = true;
    }, draftsAfterMs);
    try {
      const result = await this.runner.plan(answers, machine, (progress) => {
        if (number === this.#number) this.#follow(progress);
      });
      if (number === this.#number && result !== null) this.#take(result);
    } catch (error) {
      this.report(error);
      if (number === this.#number) {
        this.failed = true;
        this.progress = null;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #follow(progress: PlanProgress): void {
    switch (progress.kind) {
      case 'model':
        this.facts = progress.facts;
        return;
      case 'drafts':
        this.#isComplete();
        this.#drafts = progress.rows;
        this.progress = { kind: 'drafting', count: progress.lookedAt };
        return;
      case 'judging':
        this.#isComplete();
        this.progress = progress;
    }
  }

  /** What was missing, or went wrong, belongs to answers before: these are being planned. */
  #isComplete(): void {
    this.incomplete = null;
    this.failed = false;
  }

  #take(result: Planned | Incomplete): void {
    this.progress = null;
    this.failed = false;
    if (result.kind === 'incomplete') {
      this.incomplete = result;
      return;
    }
    this.incomplete = null;
    this.planned = result;
    this.onplanned(result);
  }
}
