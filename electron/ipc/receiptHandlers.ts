import { message } from '../../shared/i18n/message';
import type { ReceiptBook } from '../receipts/receiptBook';
import type { SettingsFileStore } from '../storage/settingsStore';
import { CallRefusal, type Handlers } from './answer';

export type ReceiptCalls = 'receipts.read' | 'receipts.tie' | 'receipts.delete';

export interface ReceiptServices {
  readonly receipts: Pick<ReceiptBook, 'state' | 'tie' | 'delete'>;
  readonly settings: SettingsFileStore;
}

export function receiptHandlers({ receipts, settings }: ReceiptServices): Pick<Handlers, ReceiptCalls> {
  return {
    'receipts.read': () => receipts.state(),
    'receipts.tie': ({ jobId, planId }) => {
      if (!receipts.tie(jobId, planId)) throw new CallRefusal('not-found', message('receipts.cannotTie'));
      return receipts.state();
    },
    'receipts.delete': ({ id }) => {
      if (settings.settings().readOnly) throw new CallRefusal('read-only', message('receipts.readOnly'));
      if (!receipts.delete(id)) throw new CallRefusal('not-found', message('receipts.unknownReceipt'));
      return receipts.state();
    },
  };
}
