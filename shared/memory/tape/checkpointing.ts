export type Checkpointing =
  | { readonly kind: 'none' }
  /** Every block is recomputed. */
  | { readonly kind: 'full' }
  /** Only attention is recomputed. */
  | { readonly kind: 'selective' }
  /** The blocks of a stack are recomputed in `count` runs of about equal length. */
  | { readonly kind: 'segments'; readonly count: number };
