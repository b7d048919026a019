/**
 * What a family declares: the model types that it reads, the towers that other models take in, and the code that simulates its step.
 * `README.md` beside this file says how one is added.
 */
import type { Architecture } from '../model/architecture';
import type { Backbone } from '../model/backbone';
import type { ReadArchitecture } from '../model/decoderClasses';
import type { ConfigFields } from '../model/configFields';
import type { ModelClass } from '../model/modelClass';
import type { Tower } from './common/config/patchTower';
import type { FamilyForward } from './forward';

/** The definition of one family, which is a folder; `families.ts` lists them. */
export interface Family {
  /** What its readers put into `Architecture.family`. */
  readonly name: string;
  /** By the `model_type` of a config, or of a part of one. */
  readonly modelTypes: Readonly<Record<string, ModelType>>;
  /** Towers over images that other models take in, by the `model_type` of their part. */
  readonly towers?: Readonly<Record<string, TowerType>>;
  /** Null: its models are simulated from their facts and shapes (`unlisted/simulation.ts`). */
  readonly simulation: Simulation | null;
}

/** Sizes by the name of their field. */
export type Sizes = Readonly<Record<string, unknown>>;

/** What a configuration class takes where a config is silent. A null in the file is no silence: it keeps the field's usual meaning. */
export interface ClassDefaults {
  /**
   * Where a whole config is silent of a field that decides a shape. Left out: what is the field's usual meaning (as many key heads as
   * heads, a head of hidden size over heads) and sizes that no model is read without.
   */
  readonly whole?: Sizes;
  /** Where a part of another model's config is silent: transformers leaves out of parts whatever equals the default. */
  readonly part?: Sizes;
}

/**
 * Sizes, module names and their order are those of `models/<type>/modeling_<type>.py` in transformers 5.17
 * (https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models), or of the code published beside the weights.
 * `read` throws a `Refusal` that names the field where a size is missing or is no size.
 */
export type ModelType = DecoderType | WholeType;

/** A decoder, alone or as the language model of another model; its classes are those that all decoders have. */
export interface DecoderType {
  readonly kind: 'decoder';
  /** Name of the base class in transformers. */
  readonly baseClass: string;
  readonly read: (fields: ConfigFields) => Backbone;
  readonly defaults?: ClassDefaults;
}

/** A model whose classes are its own; `listed` are the families, for the parts that it takes in. */
export interface WholeType {
  readonly kind: 'model';
  readonly baseClass: string;
  readonly read: (fields: ConfigFields, modelClass: ModelClass, listed: ListedTypes) => ReadArchitecture;
  readonly defaults?: ClassDefaults;
}

export interface TowerType {
  readonly read: (fields: ConfigFields) => Tower;
  readonly defaults: Sizes;
}

/** The declared types by name, as a reader of a whole model sees them; null: no family declares it. */
export interface ListedTypes {
  readonly decoder: (modelType: string) => DecoderType | null;
  readonly tower: (modelType: string) => TowerType | null;
}

/** What decides whether a family's code is a model's. */
export type SupportFacts = Pick<Architecture, 'head' | 'modelType' | 'stacks'>;

/** A family's own code, in the order of transformers' `modeling_<type>.py`. */
export interface Simulation {
  readonly simulate: FamilyForward;
  /**
   * Model types whose recorded steps are among the fixtures (`test/unit/shared/families/recorded.test.ts`). Without one the code consists of
   * parts that were recorded in other families.
   */
  readonly recorded: readonly string[];
  /** Classes and model types whose code it is; the family's others are simulated from their facts. Absent: all. */
  readonly supports?: (facts: SupportFacts) => boolean;
  /** What of a model's step was followed in the code but never compared with a recorded one. Absent or null: nothing. */
  readonly unrecorded?: (architecture: Architecture) => string | null;
}
