import { PlanDesk } from '../../../renderer/plan/planDesk';
import type { PlanReply, PlanWorkMessage } from '../../../renderer/plan/runPlan';

/** The planner's worker as jsdom has none: it works in the page, one step after the other. */
export class DirectPlanWorker extends EventTarget {
  readonly #desk = new PlanDesk(
    () => new Promise((resolve) => setTimeout(resolve, 0)),
    () => performance.now(),
  );
  #ended = false;

  postMessage(question: PlanWorkMessage): void {
    void this.#desk.take(question, (reply) => {
      const data: PlanReply = { ...reply, id: question.id };
      if (!this.#ended) this.dispatchEvent(new MessageEvent('message', { data }));
    });
  }

  terminate(): void {
    this.#ended = true;
  }
}
