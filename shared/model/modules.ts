/**
 * A model as PyTorch sees it: modules within modules, in the order in which `__init__` registers them. Only shapes; no
 * weights. Repeated layers share their nodes.
 */

/**
 * What a module is, for those who pick by class: peft's `all-linear` takes `linear` and `conv1d` (GPT-2's transposed
 * linear) but not the output layer; 8-bit optimizers keep `embedding` in 32 bits; `expert` is a stacked 3D parameter that
 * is no `nn.Linear`; `router` is a plain parameter used as one.
 */
export type ModuleKind =
  'linear' | 'conv1d' | 'convolution' | 'embedding' | 'norm' | 'expert' | 'router' | 'other';

/** A parameter of a module itself. */
export interface OwnTensor {
  readonly name: string;
  readonly shape: readonly number[];
  /** Counted among the parameters but never trained by gradient (a router's correction). */
  readonly frozen?: boolean;
  /** `__init__` makes it after the submodules, which parameters are listed before: it comes later in memory. */
  readonly madeAfterChildren?: boolean;
}

/** A buffer: moved to the card with the model, never trained. */
export interface OwnBuffer extends OwnTensor {
  /** Bytes of an element, which precision settings do not change for rope tables and positions (int64: 8). */
  readonly elementBytes: number;
  /** Whether `model.to(dtype)` or a dtype given at construction changes `elementBytes`. */
  readonly followsDtype: boolean;
}

/** A module with what it owns. */
export interface ModuleNode {
  /** Attribute name under the parent, or the index in a list; empty for the root. */
  readonly name: string;
  readonly kind: ModuleKind;
  /** One of a stack's repeated layers: the unit of checkpointing and of FSDP. */
  readonly isBlock: boolean;
  readonly parameters: readonly OwnTensor[];
  readonly buffers: readonly OwnBuffer[];
  readonly children: readonly ModuleNode[];
  /** Names of own parameters that are another's tensor, with that tensor's full name. */
  readonly ties: Readonly<Record<string, string>>;
}
