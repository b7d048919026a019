import type { PrintedFormat } from './grammars';

/** Formats of failures that no grammar finds: told by a person, by the shape of a text, or seen by Headroom itself. */
type FoundOtherwise =
  | 'prose'
  | 'nvidia-smi-table'
  | 'error-out-of-memory'
  | 'memory-line'
  | 'traceback-cut'
  | 'worker-failed'
  | 'python-error'
  | 'interrupted'
  | 'cuda-error'
  | 'import-failed'
  | 'not-permitted'
  | 'file-missing'
  | 'seen-by-headroom';

/** How a failure was printed: the grammar's name, or what it was told by. */
export type Format = PrintedFormat | FoundOtherwise;
