import type { JobTie } from '../../shared/receipts/state';
import type { SavedPlan } from '../../shared/launch/savedPlan';
import type { Receipt } from '../../shared/receipts/types';
import type { KeptReceipts, ReceiptStore } from '../storage/receiptStore';

export type ReceiptFile = Pick<ReceiptStore, 'kept' | 'save' | 'notice' | 'flush'>;

/** Plans and receipts in memory, each list with the newest first; written where the caller says that it is time. */
export class ReceiptRepository {
  private kept: KeptReceipts;
  /** What a person said of jobs: the plan that each follows, null where it follows none. */
  readonly said: Map<string, JobTie['planId'] | null>;

  constructor(private readonly store: ReceiptFile) {
    const kept = store.kept();
    // The processes of a scene end with the app.
    const receipts = kept.receipts.map((receipt): Receipt =>
      receipt.simulated && receipt.end === 'running' ? { ...receipt, end: 'unseen' } : receipt,
    );
    this.kept = { ...kept, receipts };
    this.said = new Map(kept.ties.map(({ jobId, planId }) => [jobId, planId]));
  }

  get plans(): KeptReceipts['plans'] {
    return this.kept.plans;
  }

  /** Another list after every change. */
  get receipts(): readonly Receipt[] {
    return this.kept.receipts;
  }

  planOf(planId: string): SavedPlan | null {
    return this.kept.plans.find(({ plan }) => plan.id === planId)?.plan ?? null;
  }

  receiptOf(id: string): Receipt | null {
    return this.kept.receipts.find((receipt) => receipt.id === id) ?? null;
  }

  remember(plan: SavedPlan, savedAt: number): void {
    const others = this.kept.plans.filter((known) => known.plan.id !== plan.id);
    this.kept = { ...this.kept, plans: [{ plan, savedAt }, ...others] };
  }

  /** Keeps what a person said of a job, also over a restart. */
  say(jobId: string, planId: string | null): void {
    this.said.delete(jobId);
    this.said.set(jobId, planId);
    const ties = [...this.said].reverse().map(([id, plan]) => ({ jobId: id, planId: plan }));
    this.kept = { ...this.kept, ties };
  }

  /** Puts a receipt in its place, or before all others where it is new. */
  put(receipt: Receipt): void {
    const { receipts } = this.kept;
    const at = receipts.findIndex(({ id }) => id === receipt.id);
    if (at >= 0 && receipts[at] === receipt) return;
    const replaced = receipts.map((one, place) => (place === at ? receipt : one));
    this.kept = { ...this.kept, receipts: at < 0 ? [receipt, ...receipts] : replaced };
  }

  /** False where none fits. */
  remove(fits: (receipt: Receipt) => boolean): boolean {
    const receipts = this.kept.receipts.filter((receipt) => !fits(receipt));
    if (receipts.length === this.kept.receipts.length) return false;
    this.kept = { ...this.kept, receipts };
    return true;
  }

  /** Writes all, and forgets what is too old to be kept. */
  save(): void {
    this.store.save(this.kept);
    this.kept = this.store.kept();
  }

  /** Resolves when all is on disk or has failed to get there. */
  async flush(): Promise<void> {
    this.save();
    await this.store.flush();
  }
}
