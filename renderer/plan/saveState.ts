import type { Message } from '../../shared/i18n/message';

/** How far the saving of a plan's files is. */
export type SaveState =
  | { readonly kind: 'idle' }
  /** The files are being written by the worker, or the plan's step is still played. */
  | { readonly kind: 'preparing' }
  /** There are no files for this plan; `files` is null and `why` says the reason. */
  | { readonly kind: 'refused'; readonly why: Message }
  /** Main asks for the folder, or writes. */
  | { readonly kind: 'saving' }
  | { readonly kind: 'saved'; readonly folder: string; readonly names: readonly string[] }
  | { readonly kind: 'failed'; readonly why: Message };
