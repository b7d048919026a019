import type { Ask, AskAnswer } from '../../shared/strategy/ask';
import type { PlanAnswers } from '../../shared/strategy/wizard/answers';
import type { Machine } from '../../shared/strategy/wizard/machine';
import type { Incomplete, PlanRunner } from '../plan/runPlan';

/** A question that is asked back, and its answer. It belongs to the answers of the moment: a change of them ends it. */
export class PlanAsking {
  /** What is being worked out. */
  current = $state.raw<Ask | null>(null);
  answered = $state.raw<{ readonly ask: Ask; readonly answer: AskAnswer | Incomplete } | null>(null);
  failed = $state(false);

  constructor(
    private readonly runner: PlanRunner,
    private readonly report: (error: unknown) => void,
  ) {}

  async ask(what: Ask, answers: PlanAnswers, machine: Machine): Promise<void> {
    this.stop();
    this.current = what;
    try {
      const answer = await this.runner.ask(answers, machine, what);
      if (this.current !== what) return;
      this.answered = { ask: what, answer };
    } catch (error) {
      this.report(error);
      this.failed = true;
    }
    this.current = null;
  }

  /** Ends what is being worked out and forgets what was. */
  stop(): void {
    if (this.current !== null) this.runner.stopAsking();
    this.current = null;
    this.answered = null;
    this.failed = false;
  }
}
