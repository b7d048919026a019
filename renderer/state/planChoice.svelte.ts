import type { Bridge } from '../../shared/contract/bridge';
import type { Message } from '../../shared/i18n/message';
import type { Locale } from '../../shared/i18n/translate';
import type { LaunchFile, LaunchPlan } from '../../shared/launch/plan';
import type { PlanDetail } from '../../shared/strategy/detail';
import type { Plan } from '../../shared/strategy/types';
import { keyOf } from '../../shared/strategy/wizard/rowKey';
import type { Planned, PlanRunner } from '../plan/runPlan';
import type { SaveState } from '../plan/saveState';
import { ask } from './calls';

/** The plan that is looked at, the one beside it, and the files of the first. */
export class PlanChoice {
  plan = $state.raw<Plan | null>(null);
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
    if (this.plan !== null) void this.#writeFiles(this.plan);
  }

  async save(): Promise<void> {
    const { files } = this;
    if (files === null || this.saving.kind === 'saving') return;
    const { plan } = this;
    this.saving = { kind: 'saving' };
    const reply = await ask(this.bridge, 'plan.save', { files: files.map((file) => ({ ...file })) });
    if (plan !== this.plan) return;
    if (!reply.ok) this.saving = { kind: 'failed', why: reply.message };
    else if (reply.value.kind === 'cancelled') this.saving = { kind: 'idle' };
    else this.saving = reply.value;
  }

  #planOf(rank: number): Plan | null {
    return this.#planned?.plans.find((plan) => plan.rank === rank) ?? null;
  }

  #choose(plan: Plan | null): void {
    this.plan = plan;
    this.detail = null;
    this.files = null;
    this.launch = null;
    this.saving = { kind: 'preparing' };
    if (plan === null) {
      this.saving = { kind: 'idle' };
      return;
    }
    void this.#writeFiles(plan);
    void this.#look(
      plan,
      () => plan === this.plan,
      (detail) => (this.detail = detail),
    );
  }

  #compare(plan: Plan | null): void {
    this.other = plan;
    this.otherDetail = null;
    if (plan === null) return;
    void this.#look(
      plan,
      () => plan === this.other,
      (detail) => (this.otherDetail = detail),
    );
  }

  async #look(plan: Plan, isShown: () => boolean, show: (detail: PlanDetail) => void): Promise<void> {
    const planning = this.#planned?.planning ?? null;
    if (planning === null) return;
    const take = (detail: PlanDetail): void => {
      if (isShown()) show(detail);
    };
    try {
      const answer = await this.runner.detail(planning, plan.rank, take);
      // Where the engine refuses to play the step, the plan's own numbers remain.
      if (answer !== null && !('kind' in answer)) take(answer);
    } catch (error) {
      this.report(error);
    }
  }

  async #writeFiles(plan: Plan): Promise<void> {
    const planning = this.#planned?.planning ?? null;
    if (planning === null) return;
    try {
      const answer = await this.runner.files(planning, plan.rank, this.locale());
      if (plan !== this.plan || answer === null) return;
      if (answer.kind === 'files') {
        this.files = answer.files;
        this.launch = answer.plan;
        if (this.saving.kind === 'preparing') this.saving = { kind: 'idle' };
      } else this.#refuse(answer.why);
    } catch (error) {
      this.report(error);
    }
  }

  #refuse(why: Message): void {
    this.files = null;
    this.saving = { kind: 'refused', why };
  }
}
