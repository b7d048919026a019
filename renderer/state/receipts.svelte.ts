import type { Bridge } from '../../shared/contract/bridge';
import type { Reply } from '../../shared/contract/ipc';
import type { Message } from '../../shared/i18n/message';
import type { SavedPlan } from '../../shared/launch/savedPlan';
import type { ReceiptsState } from '../../shared/receipts/state';
import { ask } from './calls';

/** Saved plans, the jobs that are compared with them, and what came of it, as main keeps them. */
export class ReceiptsStore {
  known = $state.raw<ReceiptsState>({ plans: [], ties: [], receipts: [], notice: null });
  refusal = $state.raw<Message | null>(null);
  #choosingFor = $state<string | null>(null);

  readonly #bridge: Bridge;

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  /** Reads what there is and listens to changes; returns what ends it. */
  start(): () => void {
    const stop = this.#bridge.on('receipts', (state) => (this.known = state));
    void ask(this.#bridge, 'receipts.read', null).then((reply) => this.#take(reply));
    return stop;
  }

  /** The job that a person is choosing a plan for; null while nobody is. */
  get choosingFor(): string | null {
    return this.#choosingFor;
  }

  /** Begins to choose a plan for a job, or (null) ends choosing. */
  chooseFor(jobId: string | null): void {
    this.#choosingFor = jobId;
    this.refusal = null;
  }

  /** The plan that a job follows; null where it follows none. */
  planOfJob(jobId: string): SavedPlan | null {
    const { plans, ties } = this.known;
    const tie = ties.find((one) => one.jobId === jobId);
    return plans.find(({ plan }) => plan.id === tie?.planId)?.plan ?? null;
  }

  /** Whether a person tied the job, and not its launch files. */
  isTiedByPerson(jobId: string): boolean {
    return this.known.ties.some((tie) => tie.jobId === jobId && tie.by === 'person');
  }

  /** Compares a job with a plan, or (null) with none; choosing goes on where main refuses. */
  async tie(jobId: string, planId: string | null): Promise<void> {
    const reply = await ask(this.#bridge, 'receipts.tie', { jobId, planId });
    if (reply.ok) this.#choosingFor = null;
    this.#take(reply);
  }

  async delete(id: string): Promise<void> {
    this.#take(await ask(this.#bridge, 'receipts.delete', { id }));
  }

  #take(reply: Reply<ReceiptsState>): void {
    if (reply.ok) this.known = reply.value;
    this.refusal = reply.ok ? null : reply.message;
  }
}
