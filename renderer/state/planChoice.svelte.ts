import type { Bridge } from '../../shared/contract/bridge';
import type { Locale } from '../../shared/i18n/translate';
import type { LaunchFile, LaunchPlan } from '../../shared/launch/plan';
import type { PlanDetail } from '../../shared/strategy/detail';
import type { Plan } from '../../shared/strategy/types';
import { keyOf } from '../../shared/strategy/wizard/rowKey';
import type { FilesAnswer, Planned, PlanRunner } from '../plan/runPlan';
import type { SaveState } from '../plan/saveState';
import { ask } from './calls';

/**
 * The plan that is chosen, the one beside it, and the files of the first. What is shown of a plan follows when its step
 * has been played, so that nothing empties and fills again with every change.
 */
export class PlanChoice {
  plan = $state.raw<Plan | null>(null);
  /** The plan that detail, files, launch and saving belong to: the chosen one, or for a moment the one before. */
  shown = $state.raw<Plan | null>(null);
  detail = $state.raw<PlanDetail | null>(null);
  other = $state.raw<Plan | null>(null);
  otherDetail = $state.raw<PlanDetail | null>(null);
  files = $state.raw<readonly LaunchFile[] | null>(null);
  /** What the files are written from; null as long as there are none. */
  launch = $state.raw<LaunchPlan | null>(null);
  saving = $state.raw<SaveState>({ kind: 'idle' });

  #planned: Planned | null = null;
  /** The person chose it; otherwise the best one is shown. */
  #isChosen = false;
  /** Counts what was prepared, so that an older answer is known as such. */
  #prepared = 0;

  constructor(
    private readonly bridge: Bridge,
    private readonly runner: PlanRunner,
    private readonly locale: () => Locale,
    private readonly report: (error: unknown) => void,
  ) {}

  /** The plans that were chosen, where a new planning has them again, else the best. */
  take(planned: Planned): void {
    this.#planned = planned;
    const again = (before: Plan | null): Plan | null =>
      before === null
        ? null
        : (planned.plans.find(({ request }) => keyOf(request) === keyOf(before.request)) ?? null);
    const other = again(this.other);
    const kept = this.#isChosen ? again(this.plan) : null;
    this.#isChosen = kept !== null;
    this.#choose(kept ?? planned.plans[0] ?? null);
    this.#compare(other === this.plan ? null : other);
  }

  choose(rank: number): void {
    if (rank === this.plan?.rank) return;
    if (rank === this.other?.rank) this.#compare(null);
    this.#isChosen = true;
    this.#choose(this.#planOf(rank));
  }

  /** Puts a plan beside the chosen one, or takes it away. */
  compare(rank: number): void {
    if (rank === this.plan?.rank) return;
    this.#compare(rank === this.other?.rank ? null : this.#planOf(rank));
  }

  /** The README is written in the language of the window. */
  rewrite(): void {
    if (this.plan !== null) this.#choose(this.plan);
  }

  async save(): Promise<void> {
    const { files } = this;
    if (files === null || this.saving.kind === 'saving') return;
    const { shown } = this;
    this.saving = { kind: 'saving' };
    const reply = await ask(this.bridge, 'plan.save', { files: files.map((file) => ({ ...file })) });
    if (shown !== this.shown) return;
    if (!reply.ok) this.saving = { kind: 'failed', why: reply.message };
    else if (reply.value.kind === 'cancelled') this.saving = { kind: 'idle' };
    else this.saving = reply.value;
  }

  #planOf(rank: number): Plan | null {
    return this.#planned?.plans.find((plan) => plan.rank === rank) ?? null;
  }

  #choose(plan: Plan | null): void {
    this.plan = plan;
    if (plan === null) this.#show(null, null, null);
    else void this.#prepare(plan);
  }

  /** Plays the step and writes the files, and shows both at once. */
  async #prepare(plan: Plan): Promise<void> {
    const number = (this.#prepared += 1);
    const planning = this.#planned?.planning ?? null;
    if (planning === null) return;
    let files: FilesAnswer | null = null;
    const isCurrent = (): boolean => number === this.#prepared && plan === this.plan;
    try {
      const written = this.runner.files(planning, plan.rank, this.locale()).then((answer) => {
        files = answer;
        if (isCurrent() && this.shown === plan) this.#takeFiles(answer);
      });
      let isShown = false;
      const answer = await this.runner.detail(planning, plan.rank, (first) => {
        if (!isCurrent()) return;
        isShown = true;
        this.#show(plan, first, files);
      });
      await written;
      if (!isCurrent() || answer === null) return;
      // Where the engine refuses to play the step, the plan's own numbers remain.
      if ('kind' in answer) this.#show(plan, null, files);
      else if (isShown) this.detail = answer;
      else this.#show(plan, answer, files);
    } catch (error) {
      this.report(error);
      if (isCurrent()) this.#show(plan, null, files);
    }
  }

  #show(plan: Plan | null, detail: PlanDetail | null, files: FilesAnswer | null): void {
    this.shown = plan;
    this.detail = detail;
    this.#takeFiles(files);
    if (plan === null) this.saving = { kind: 'idle' };
  }

  #takeFiles(answer: FilesAnswer | null): void {
    this.files = answer?.kind === 'files' ? answer.files : null;
    this.launch = answer?.kind === 'files' ? answer.plan : null;
    this.saving =
      answer === null
        ? { kind: 'preparing' }
        : answer.kind === 'files'
          ? { kind: 'idle' }
          : { kind: 'refused', why: answer.why };
  }

  #compare(plan: Plan | null): void {
    this.other = plan;
    this.otherDetail = null;
    if (plan === null) return;
    void this.#lookAtOther(plan);
  }

  async #lookAtOther(plan: Plan): Promise<void> {
    const planning = this.#planned?.planning ?? null;
    if (planning === null) return;
    const take = (detail: PlanDetail): void => {
      if (plan === this.other) this.otherDetail = detail;
    };
    try {
      const answer = await this.runner.detail(planning, plan.rank, take);
      if (answer !== null && !('kind' in answer)) take(answer);
    } catch (error) {
      this.report(error);
    }
  }
}
