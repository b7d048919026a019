import type { Bridge } from '../../shared/contract/bridge';
import type { Reply } from '../../shared/contract/ipc';
import type { Diagnosis } from '../../shared/doctor/types';
import { causeText } from '../../shared/doctor/view/kinds';
import type { Message } from '../../shared/i18n/message';
import type { LaunchPlan } from '../../shared/launch/plan';
import type { MeasureState } from '../../shared/measure/state';
import type { DoctorRunner } from '../doctor/runDoctor';
import { ask } from './calls';

/** Measuring a plan with the person's own Python, as main tells it, and what the doctor finds where it failed. */
export class MeasureStore {
  known = $state.raw<MeasureState>({ python: null, run: null });
  refusal = $state.raw<Message | null>(null);
  /** The most likely cause of the last failure; null: none was found, or there is none to look for. */
  cause = $state.raw<Message | null>(null);

  #read: string | null = null;

  constructor(
    private readonly bridge: Bridge,
    private readonly doctor: DoctorRunner,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Reads how it stands and listens to news; returns what ends it. */
  start(): () => void {
    const stop = this.bridge.on('measure', (state) => this.#see(state));
    void ask(this.bridge, 'measure.read', null).then((reply) => this.#take(reply));
    return stop;
  }

  async choosePython(): Promise<void> {
    this.#take(await ask(this.bridge, 'measure.choosePython', null));
  }

  async begin(plan: LaunchPlan, gpuIndices: readonly number[] | null): Promise<void> {
    const cards = gpuIndices === null ? null : [...gpuIndices];
    this.#take(await ask(this.bridge, 'measure.start', { plan, gpuIndices: cards }));
  }

  async stop(): Promise<void> {
    this.#take(await ask(this.bridge, 'measure.stop', null));
  }

  #take(reply: Reply<MeasureState>): void {
    this.refusal = reply.ok ? null : reply.message;
    if (reply.ok) this.#see(reply.value);
  }

  #see(state: MeasureState): void {
    this.known = state;
    const output = state.run?.kind === 'done' ? state.run.output : null;
    if (output === this.#read) return;
    this.#read = output;
    this.cause = null;
    if (output === null) return;
    this.doctor
      .read(output, () => undefined)
      .then((reading) => {
        if (this.#read === output && reading !== null) this.cause = firstCause(reading.diagnosis);
      })
      .catch(this.report);
  }
}

function firstCause({ failures, rootFailure }: Diagnosis): Message | null {
  const failure = rootFailure === null ? failures[0] : failures[rootFailure];
  const [first] = failure?.causes ?? [];
  return first === undefined ? null : causeText(first.cause);
}
