/** What a person answered in the wizard's steps. Values are valid ones; half-typed text stays in its field. */
import type { Offload, Precision, Strategy } from '../../memory/configuration';
import type { AttentionRequest } from '../../memory/operations/attention/request';
import type { OptimizerName } from '../../memory/training/optimizers';

export interface ModelSizes {
  readonly layers: number;
  readonly hiddenSize: number;
  readonly heads: number;
  readonly keyValueHeads: number;
  readonly intermediateSize: number;
  readonly vocabularySize: number;
  /** Whether input and output share one table. */
  readonly tiedEmbeddings: boolean;
}

export type ModelAnswer =
  | { readonly kind: 'catalogue'; readonly id: string }
  /** The text of a config.json and the name of its file; never a path. */
  | { readonly kind: 'config'; readonly name: string; readonly text: string }
  | { readonly kind: 'sizes'; readonly sizes: ModelSizes };

export type CardsAnswer =
  | {
      readonly kind: 'detected';
      /** What is free now, or the whole card as if nobody used it. */
      readonly memory: 'free' | 'total';
      /** nvidia-smi's indices of cards that shall not be used. */
      readonly leftOut: readonly number[];
    }
  | {
      readonly kind: 'given';
      /** As the command takes it: `2 x 24 GiB`, `24576, 16384`. */
      readonly text: string;
      /** A name of the card list; null: not said. */
      readonly cardName: string | null;
    };

/** `auto`: as nvidia-smi tells, else as the card is sold. */
export type LinkAnswer = 'auto' | 'pcie' | 'nvlink';

/** What shall be trained and how; `auto` and null leave it to the planner. */
export interface PlanWishes {
  readonly method: 'full' | 'lora' | 'qlora';
  readonly loraRank: number;
  readonly loraTargets: 'all-linear' | readonly string[];
  readonly loraDropout: number;
  readonly doubleQuant: boolean;
  /** Tokens of a sample. */
  readonly sequence: number;
  /** Samples of an optimizer step over all cards. */
  readonly globalBatch: number | null;
  readonly microBatch: number | null;
  readonly precision: Precision | 'auto';
  readonly optimizer: OptimizerName | 'auto';
  readonly checkpointing: 'auto' | 'none' | 'full' | 'selective';
  readonly attention: AttentionRequest | 'auto';
  readonly strategy: Strategy | 'auto';
  readonly offload: Offload | 'auto';
}

export interface PlanAnswers {
  readonly model: ModelAnswer;
  readonly cards: CardsAnswer;
  readonly links: LinkAnswer;
  /** Memory of the machine in GiB; null: what the machine has. */
  readonly hostGib: number | null;
  readonly wishes: PlanWishes;
}
