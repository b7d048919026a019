import type { Bridge } from '../../shared/contract/bridge';
import type { Snapshot } from '../../shared/alerts/snapshot';
import type { PlanHint } from '../../shared/doctor/view/planHint';
import type { CardLink } from '../../shared/gpu/types';
import type { Locale } from '../../shared/i18n/translate';
import type { Job } from '../../shared/jobs/types';
import { noCorrection } from '../../shared/receipts/corrections';
import { correctionOfMachine } from '../../shared/receipts/machine';
import type { Receipt } from '../../shared/receipts/types';
import type { Ask } from '../../shared/strategy/ask';
import type { PlanChange } from '../../shared/strategy/detail';
import type { ModelAnswer, PlanAnswers, PlanWishes } from '../../shared/strategy/wizard/answers';
import { answersOfAsk } from '../../shared/strategy/wizard/asked';
import { defaultAnswers, rememberedAnswers } from '../../shared/strategy/wizard/defaults';
import { answersOfHint, answersOfJob } from '../../shared/strategy/wizard/hints';
import { hasMoved, hasOtherCards, machineOf, type Machine } from '../../shared/strategy/wizard/machine';
import type { PlanPart } from '../plan/parts';
import type { ModelAnswered, PlanRunner } from '../plan/runPlan';
import type { SaveState } from '../plan/saveState';
import { ask } from './calls';
import { PlanAsking } from './planAsking.svelte';
import { PlanChoice } from './planChoice.svelte';
import { PlanResults } from './planResults.svelte';

export const steps = ['model', 'cards', 'data', 'method', 'plan', 'files'] as const;
export type Step = (typeof steps)[number];

const noMachine: Machine = {
  cards: [],
  links: [],
  hostTotalBytes: null,
  hostAvailableBytes: null,
  replacedJob: null,
  correction: noCorrection,
};

/** The wizard: its answers, what it knows of this machine, and what the planner makes of both. Kept while other places are shown. */
export class PlanStore {
  answers = $state.raw<PlanAnswers>(defaultAnswers);
  /** As it was when it was last looked at. */
  machine = $state.raw<Machine>(noMachine);
  /** Whether it has been looked at: until then nobody knows whether it has cards. */
  isMachineRead = $state(false);
  /** How its cards are joined, as nvidia-smi says; empty: not known. */
  links = $state.raw<readonly CardLink[]>([]);
  /** Much more or less is free on its cards now. */
  moved = $state(false);
  openStep = $state<Step | null>(null);
  /** Which part of the page was asked for; null: the first. */
  part = $state<PlanPart | null>(null);
  /** What stands in the field for a config; a text that was refused stays there. */
  configDraft = $state('');
  /** Whether the cards came from the doctor. */
  fromDoctor = $state(false);

  readonly results: PlanResults;
  readonly choice: PlanChoice;
  readonly asking: PlanAsking;

  #snapshot: Snapshot | null = null;
  #replacedJobId: string | null = null;
  #loading: Promise<void> | null = null;
  #isLoaded = false;
  #isShown = false;
  /** For which cards the links were asked. */
  #askedLinks = '';

  constructor(
    private readonly bridge: Bridge,
    readonly runner: PlanRunner,
    locale: () => Locale,
    report: (error: unknown) => void,
    private readonly receipts: () => readonly Receipt[],
  ) {
    this.choice = new PlanChoice(bridge, runner, locale, report);
    this.asking = new PlanAsking(runner, report);
    this.results = new PlanResults(runner, report, (planned) => this.choice.take(planned));
  }

  /** The machine with what came to be known since it was looked at: its links, and what receipts teach. */
  get known(): Machine {
    const correction =
      this.#snapshot === null ? noCorrection : correctionOfMachine(this.#snapshot, this.receipts());
    return { ...this.machine, links: this.links, correction };
  }

  /** Its cards are asked for, and have not been read yet. */
  get waitsForMachine(): boolean {
    return this.answers.cards.kind === 'detected' && !this.isMachineRead;
  }

  /** Called with every Snapshot; plans for cards that are not there any more are made anew. */
  see(snapshot: Snapshot): void {
    const isFirst = !this.isMachineRead;
    this.#snapshot = snapshot;
    this.isMachineRead ||= snapshot.cardsReadAt !== null || snapshot.problems.length > 0;
    const now = machineOf(snapshot, this.#replacedJobId);
    if ((isFirst && this.isMachineRead) || hasOtherCards(this.machine, now)) {
      this.readMachine();
      if (this.#isShown) void this.#readLinks();
    } else this.moved = hasMoved(this.machine, now);
  }

  /** Takes the machine as it is now. */
  readMachine(): void {
    if (this.#snapshot === null) return;
    this.machine = machineOf(this.#snapshot, this.#replacedJobId);
    this.moved = false;
    if (this.answers.cards.kind === 'detected') this.#plan();
  }

  /** The place is shown: plans are worked out from the first time on. */
  async show(): Promise<void> {
    await this.load();
    if (this.#isShown) return;
    this.#isShown = true;
    this.#plan();
    await this.#readLinks();
  }

  /** How far saving is; the files of another plan, or of answers that have changed since, are not saved. */
  get saving(): SaveState {
    const { saving, plan, shown } = this.choice;
    const areBefore = this.results.takesLong || plan !== shown;
    return areBefore && saving.kind !== 'saving' ? { kind: 'preparing' } : saving;
  }

  /** Applies to the answers of the last time: what is given before those have been read waits for them. */
  change(change: Partial<PlanAnswers>): void {
    if (!this.#isLoaded) {
      void this.load().then(() => this.change(change));
      return;
    }
    this.answers = { ...this.answers, ...change };
    this.fromDoctor &&= change.cards === undefined;
    void ask(this.bridge, 'plan.remember', { answers: rememberedAnswers(this.answers) });
    this.#plan();
  }

  wish(wishes: Partial<PlanWishes>): void {
    if (!this.#isLoaded) {
      void this.load().then(() => this.wish(wishes));
      return;
    }
    this.change({ wishes: { ...this.answers.wishes, ...wishes } });
  }

  apply({ wishes }: PlanChange): void {
    this.wish(wishes);
  }

  /** Takes another model if it can be read; the one before stays otherwise. */
  async useModel(model: ModelAnswer): Promise<ModelAnswered> {
    const answered = await this.runner.model(model);
    if (answered.kind === 'model') this.change({ model });
    return answered;
  }

  /** What a process holds that the plan shall replace counts again. */
  keepJob(): void {
    this.#replacedJobId = null;
    this.readMachine();
  }

  ask(what: Ask): void {
    void this.asking.ask(what, this.answers, this.known);
  }

  /** Goes on with what was asked back. */
  useAnswer(): void {
    const { answered } = this.asking;
    if (answered === null || 'kind' in answered.answer) return;
    const answers = answersOfAsk(this.answers, this.machine, answered.ask, answered.answer);
    if (answers !== null) this.change(answers);
  }

  /** Starts from a failure: from the cards of its text, or from the job that was seen to fail on this machine. */
  async takeHint(hint: PlanHint): Promise<void> {
    await this.load();
    if (hint.seenHere !== null) this.keepJob();
    const answers = answersOfHint(this.answers, hint, this.machine);
    // Where the failure names no model, the one of the last time is planned for: that must be in sight.
    this.openStep = answers.model === this.answers.model ? 'model' : null;
    this.change(answers);
    this.fromDoctor = hint.seenHere === null;
  }

  /** Starts from a running job that the plan shall take the place of, on all detected cards. */
  async takeJob(job: Job): Promise<void> {
    await this.load();
    this.#replacedJobId = job.id;
    if (this.#snapshot !== null) this.machine = machineOf(this.#snapshot, job.id);
    const commands = job.members.flatMap(({ process }) =>
      process.command === null ? [] : [process.command],
    );
    this.change(answersOfJob(this.answers, commands));
    this.openStep = null;
  }

  /** Reads what was answered before; once. */
  load(): Promise<void> {
    this.#loading ??= ask(this.bridge, 'plan.read', null).then((reply) => {
      if (reply.ok && reply.value !== null) this.answers = reply.value;
      this.#isLoaded = true;
    });
    return this.#loading;
  }

  #plan(): void {
    this.asking.stop();
    if (this.#isShown && !this.waitsForMachine) void this.results.start(this.answers, this.known);
  }

  /** Cards of the machine may be joined by NVLink, which only nvidia-smi knows. */
  async #readLinks(): Promise<void> {
    const count = this.machine.cards.length;
    const asked = `${this.#snapshot?.source.kind ?? ''} ${count}`;
    if (count < 2 || asked === this.#askedLinks) return;
    this.#askedLinks = asked;
    const reply = await ask(this.bridge, 'plan.links', null);
    if (!reply.ok || reply.value.length === this.links.length) return;
    this.links = reply.value;
    if (this.answers.cards.kind === 'detected' && this.answers.links === 'auto') this.#plan();
  }
}
