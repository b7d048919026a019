import path from 'node:path';
import * as z from 'zod';
import { planIdSchema, receiptSchema, rememberedPlanSchema } from '../../shared/contract/receiptSchemas';
import { message, type Message } from '../../shared/i18n/message';
import type { RememberedPlan } from '../../shared/receipts/state';
import type { Receipt } from '../../shared/receipts/types';
import { problemText } from '../errors';
import { keepCopy, readJsonFile } from './jsonFile';
import { JsonWriter } from './jsonWriter';
import type { Log } from './log';

/** What a person said of a job: the plan that it follows, or that it follows none (null). */
interface PersonTie {
  readonly jobId: string;
  readonly planId: string | null;
}

/** All that is kept of plans and receipts, each list with the newest first. */
export interface KeptReceipts {
  readonly plans: readonly RememberedPlan[];
  readonly ties: readonly PersonTie[];
  readonly receipts: readonly Receipt[];
}

const version = 1;
export const mostReceipts = 500;
const mostPlans = 100;
const mostTies = 50;
/** 500 receipts of sixteen cards each are three million characters. */
const mostBytes = 16 * 1024 * 1024;

const fileSchema = z.looseObject({ version: z.literal(version) });
const tieSchema: z.ZodType<PersonTie> = z.strictObject({
  jobId: z.string().min(1).max(64),
  planId: planIdSchema.nullable(),
});
const empty: KeptReceipts = { plans: [], ties: [], receipts: [] };

/**
 * Receipts and saved plans, in a file of their own. Entries that do not fit are left out, and the file as it was is kept
 * aside; what cannot be read or written is told in `notice` and never stops the app.
 */
export class ReceiptStore {
  private readonly writer: JsonWriter;

  private constructor(
    file: string,
    log: Log,
    private current: KeptReceipts,
    private told: Message | null,
  ) {
    const failed = (error: unknown): void => {
      log.warn('The receipts cannot be saved.', error);
      this.told = message('receipts.notSaved', { problem: problemText(error) });
    };
    this.writer = new JsonWriter(file, failed, 'compact');
  }

  /** Never rejects; a missing file counts as nothing kept. */
  static async open(file: string, log: Log): Promise<ReceiptStore> {
    const read = await readJsonFile(file, mostBytes);
    switch (read.kind) {
      case 'missing':
        return new ReceiptStore(file, log, empty, null);
      case 'unreadable':
        log.warn(`The receipts cannot be read: ${read.problem}`);
        return new ReceiptStore(file, log, empty, message('receipts.unreadable', { problem: read.problem }));
      case 'damaged':
      case 'read': {
        const { kept, isWhole } = fittingOf(read.kind === 'read' ? read.value : null);
        if (isWhole) return new ReceiptStore(file, log, kept, null);
        const copy = await keepCopy(file, 'damaged');
        const name = copy === null ? null : path.basename(copy);
        log.warn(`The file of receipts was damaged; a copy: ${name ?? 'could not be kept'}.`);
        return new ReceiptStore(file, log, kept, message('receipts.damaged', { file: name }));
      }
    }
  }

  kept(): KeptReceipts {
    return this.current;
  }

  notice(): Message | null {
    return this.told;
  }

  /** Keeps the newest of each list, and writes them in the background. */
  save(changed: KeptReceipts): void {
    this.current = {
      plans: changed.plans.slice(0, mostPlans),
      ties: changed.ties.slice(0, mostTies),
      receipts: changed.receipts.slice(0, mostReceipts),
    };
    this.writer.write({ version, ...this.current });
  }

  /** Resolves when what was saved is on disk or has failed to get there. */
  flush(): Promise<void> {
    return this.writer.flush();
  }
}

/** What fits of a stored value, and whether that is all of it. */
function fittingOf(stored: unknown): { readonly kept: KeptReceipts; readonly isWhole: boolean } {
  const head = fileSchema.safeParse(stored);
  if (!head.success) return { kept: empty, isWhole: false };
  const plans = fittingItems(head.data['plans'], rememberedPlanSchema, mostPlans);
  const ties = fittingItems(head.data['ties'], tieSchema, mostTies);
  const receipts = fittingItems(head.data['receipts'], receiptSchema, mostReceipts);
  return {
    kept: { plans: plans.items, ties: ties.items, receipts: receipts.items },
    isWhole: plans.isWhole && ties.isWhole && receipts.isWhole,
  };
}

function fittingItems<Item>(
  stored: unknown,
  schema: z.ZodType<Item>,
  most: number,
): { readonly items: readonly Item[]; readonly isWhole: boolean } {
  const list = z.array(z.unknown()).safeParse(stored);
  if (!list.success) return { items: [], isWhole: false };
  const items = list.data.flatMap((value) => {
    const fit = schema.safeParse(value);
    return fit.success ? [fit.data] : [];
  });
  return { items: items.slice(0, most), isWhole: items.length === list.data.length };
}
