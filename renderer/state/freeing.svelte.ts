import { SvelteMap } from 'svelte/reactivity';
import type { Bridge } from '../../shared/contract/bridge';
import { mostShownProcesses, type EndingProgress, type EndingReport } from '../../shared/contract/ending';
import type { Message } from '../../shared/i18n/message';
import { identitiesOf } from '../../shared/jobs/stale/freeing';
import type { Job } from '../../shared/jobs/types';
import { ask } from './calls';

/** Where the freeing of one job stands. `question`: main's native dialog waits for an answer. */
type FreeingStep =
  | { readonly kind: 'question' }
  | { readonly kind: 'under-way'; readonly progress: EndingProgress }
  | { readonly kind: 'done'; readonly report: EndingReport }
  | { readonly kind: 'refused'; readonly reason: Message };

export interface FreedJob {
  readonly id: string;
  readonly title: string;
  readonly step: FreeingStep;
}

/** The jobs that are being freed or were, until a person dismisses what came of it. */
export class FreeingStore {
  readonly #jobs = new SvelteMap<string, FreedJob>();
  readonly #bridge: Bridge;

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  get jobs(): readonly FreedJob[] {
    return [...this.#jobs.values()];
  }

  /** Starts listening; returns what ends it. */
  start(): () => void {
    return this.#bridge.on('ending', ({ jobId, progress }) => {
      const known = this.#jobs.get(jobId);
      if (known !== undefined) this.#jobs.set(jobId, { ...known, step: { kind: 'under-way', progress } });
    });
  }

  isBusy(jobId: string): boolean {
    const kind = this.#jobs.get(jobId)?.step.kind;
    return kind === 'question' || kind === 'under-way';
  }

  /** Asks main to free the job as it is shown here; main asks the person. */
  async free(job: Job): Promise<void> {
    if (this.isBusy(job.id)) return;
    const known = { id: job.id, title: job.title };
    this.#jobs.set(job.id, { ...known, step: { kind: 'question' } });
    const shown = identitiesOf(job.members).slice(0, mostShownProcesses);
    const reply = await ask(this.#bridge, 'jobs.free', { jobId: job.id, shown: [...shown] });
    if (!reply.ok) this.#jobs.set(job.id, { ...known, step: { kind: 'refused', reason: reply.message } });
    else if (reply.value.kind === 'cancelled') this.#jobs.delete(job.id);
    else this.#jobs.set(job.id, { ...known, step: { kind: 'done', report: reply.value.report } });
  }

  async doNotWait(jobId: string): Promise<void> {
    await ask(this.#bridge, 'jobs.doNotWait', { jobId });
  }

  dismiss(jobId: string): void {
    if (!this.isBusy(jobId)) this.#jobs.delete(jobId);
  }
}
