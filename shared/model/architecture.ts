/**
 * What a training step has to know of a model: the facts of each layer, and the tree of its modules as transformers
 * builds it. Both are made together by a family's reader (`families/`), so the parameter count, the allocations, the
 * optimizer's order, LoRA targets, FSDP units and DDP buckets all come from one place.
 *
 * Sizes are numbers of elements unless the name says otherwise. Layers of one kind are the same object, so they may be
 * compared by identity and a model of a hundred layers stays cheap.
 */
import type { Message } from '../i18n/message';
import type { ModuleNode } from './modules';

/** A model as its config describes it. */
export interface Architecture {
  /** `model_type` of the file (of the whole model, where parts are nested); null where it names none. */
  readonly modelType: string | null;
  /** The definition that read it, such as `llama`, `gpt2`, `bert`; several model types may share one. */
  readonly family: string;
  /** The class whose parameters are counted: `architectures[0]`, else the base model's class. */
  readonly className: string;
  /** The stacks of layers in the order in which the modules are registered: one for GPT, two for T5 or a vision model. */
  readonly stacks: readonly Stack[];
  /** What joins a tower to the language model, in registration order. */
  readonly connectors: readonly Connector[];
  readonly head: Head;
  /** The root of the module tree; `parameterTensors` in `inventory.ts` walks it. */
  readonly modules: ModuleNode;
  /** What was assumed or overlooked while reading. */
  readonly warnings: readonly Message[];
}

/** The stack that a reader means by "the model": the language model of a vision model, the decoder of an encoder-decoder. */
type StackRole = 'decoder' | 'encoder' | 'vision' | 'audio';

/** Layers one after another, with what comes before and after them. */
export interface Stack {
  readonly role: StackRole;
  /** Path of the module that holds it, such as `model`, `transformer`, `encoder`, `model.vision_tower`. */
  readonly path: string;
  readonly hiddenSize: number;
  readonly inputs: Inputs;
  readonly positions: Positions;
  readonly layers: readonly Layer[];
  readonly finalNorm: Norm | null;
  /** Longest sequence the positions are made for; null where there is no limit or it is not known. */
  readonly maxPositions: number | null;
  readonly dropout: Dropouts;
}

/** What comes before the first layer. */
export type Inputs =
  | {
      readonly kind: 'tokens';
      readonly vocabularySize: number;
      /** Width of the table; differs from the hidden size in ALBERT, ELECTRA, OPT-350m. */
      readonly embeddingSize: number;
      /** Embeddings are multiplied by a constant (Gemma, Granite, MiniCPM, T5-like models with `scale_embedding`). */
      readonly scale: number | null;
      /** Between the tables and the first layer. */
      readonly norm: Norm | null;
    }
  | {
      readonly kind: 'patches';
      readonly patchSize: number;
      readonly channels: number;
      /** Patches of one image of `image_size`, without extra tokens; null where the size is free. */
      readonly patches: number | null;
      /** Class, distillation or register tokens put in front. */
      readonly extraTokens: number;
    }
  | {
      readonly kind: 'audio';
      readonly melBins: number;
      /** Frames after the convolutions. */
      readonly frames: number | null;
    };

/** How a stack knows where a token stands. */
export type Positions =
  | {
      readonly kind: 'rope';
      /** Rotated elements of each head: less than the head where it is partial. */
      readonly rotaryDim: number;
      /** Pairs are neighbours (GPT-J, Cohere, GLM) and not halves. */
      readonly interleaved: boolean;
    }
  | { readonly kind: 'learned' }
  | { readonly kind: 'sinusoidal' }
  | { readonly kind: 'alibi' }
  /** One table of buckets by head, in the first layer, added to the scores (T5). */
  | { readonly kind: 'relative-bias' }
  /** Content-to-position and position-to-content terms (DeBERTa). */
  | {
      readonly kind: 'disentangled';
      /** Distances share rows by their logarithm, not one row each. */
      readonly inBuckets: boolean;
      readonly terms: readonly string[];
    }
  | { readonly kind: 'none' };

/** Shares that are dropped while training; 0: none. */
export interface Dropouts {
  readonly embedding: number;
  /** After attention's output and after the MLP. */
  readonly residual: number;
  readonly activation: number;
  /** Whole layers skipped at random, or stochastic depth in vision models. */
  readonly layer: number;
}

type NormKind = 'rms' | 'layer';

/** A norm over the hidden size or a head. */
export interface Norm {
  readonly kind: NormKind;
  readonly weight: boolean;
  readonly bias: boolean;
  /** Multiplies by (1 + weight) in fp32, as Gemma does. */
  readonly onePlusWeight: boolean;
  /**
   * The weight is applied in fp32 and the result cast back (Gemma, OLMo, Cohere, whose LayerNorm is written in Python);
   * otherwise it is in the input's type.
   */
  readonly fp32: boolean;
}

/**
 * Where the norms of a layer stand. `pre`: before each branch (llama, gpt2). `post`: after each sum (BERT, BART).
 * `sandwich`: before and after each branch (Gemma 2 and 3, GLM-4). `branch`: after each branch, before its sum (OLMo 2).
 * `parallel`: attention and MLP read the same input and are added together (GPT-J, Falcon, Phi, Cohere).
 */
export type NormPlacement = 'pre' | 'post' | 'sandwich' | 'branch' | 'parallel';

/** One layer: a mixer of tokens, then a feed-forward part. */
export interface Layer {
  readonly mixer: Mixer;
  /** The attention of a decoder over an encoder's output, or over an image's. */
  readonly cross: SoftmaxAttention | null;
  readonly feedForward: FeedForward;
  readonly norm: Norm;
  readonly placement: NormPlacement;
  /** Norms of one kind that stand at the top of the block: 1 where a parallel layer shares it. */
  readonly norms: number;
}

/** What lets tokens see each other. */
export type Mixer =
  | SoftmaxAttention
  | LatentAttention
  | GatedDeltaNet
  | StateSpace
  | { readonly kind: 'none' }
  /** A mixer whose parameters are known but whose forward is not modelled in detail. */
  | { readonly kind: 'other'; readonly name: string };

/** Attention of queries, keys and values. */
export interface SoftmaxAttention {
  readonly kind: 'attention';
  readonly heads: number;
  /** 1: multi-query; equal to `heads`: multi-head; between: grouped. */
  readonly keyValueHeads: number;
  readonly headDim: number;
  /** Differs from `headDim` in few models (MiMo). */
  readonly valueHeadDim: number;
  readonly causal: boolean;
  /** Tokens of the sliding window; null: full attention. */
  readonly window: number | null;
  readonly bias: {
    readonly query: boolean;
    readonly key: boolean;
    readonly value: boolean;
    readonly output: boolean;
  };
  /** How query, key and value are projected: three products, one (`query_key_value`, `Wqkv`, `c_attn`), or query apart. */
  readonly projection: 'separate' | 'fused' | 'query-and-fused-key-value';
  /**
   * `head`: over each head, one weight for all (Qwen3, Gemma 3); `all`: over all heads together (OLMo 2, OLMoE);
   * `each-head` and `list`: over each head with a weight of its own, in one tensor (Cohere) or a module each (StableLM 2).
   */
  readonly queryKeyNorm: {
    readonly over: 'head' | 'all' | 'each-head' | 'list';
    readonly norm: Norm;
  } | null;
  readonly dropout: number;
  readonly scoreSoftCap: number | null;
  /** A learned logit for each head beside the scores (gpt-oss). */
  readonly sinks: boolean;
  /** The output is multiplied by the sigmoid of one more projection (Qwen3-Next). */
  readonly outputGate: boolean;
  /** False where this layer has no positions of its own (SmolLM3, Llama 4, EXAONE 4 global layers). */
  readonly positions: boolean;
}

/** Multi-head latent attention (DeepSeek V2 and V3, Kimi K2, GLM 4.7 Flash, MiniCPM3). */
export interface LatentAttention {
  readonly kind: 'latent';
  readonly heads: number;
  /** Null: the query is projected in one step. */
  readonly queryRank: number | null;
  readonly keyValueRank: number;
  /** Per head, without positions. */
  readonly plainHeadDim: number;
  /** Per head, rotated; the key's is shared by all heads. */
  readonly rotaryHeadDim: number;
  readonly valueHeadDim: number;
  readonly bias: boolean;
  readonly dropout: number;
  readonly window: number | null;
}

/** Linear attention by the gated delta rule (Qwen3-Next, Qwen3.5). */
export interface GatedDeltaNet {
  readonly kind: 'gated-delta';
  readonly keyHeads: number;
  readonly valueHeads: number;
  readonly keyHeadDim: number;
  readonly valueHeadDim: number;
  readonly convolutionWidth: number;
}

/** A state space as in Mamba and Mamba 2. */
export interface StateSpace {
  readonly kind: 'state-space';
  readonly innerSize: number;
  readonly stateSize: number;
  readonly convolutionWidth: number;
  /** Heads and groups of Mamba 2; null in Mamba 1. */
  readonly heads: number | null;
  readonly groups: number | null;
}

/** What each token passes alone. */
export type FeedForward =
  | { readonly kind: 'none' }
  | Mlp
  | MixtureOfExperts
  /** A layer whose output is thrown away or replaced by something else, known only by its parameters. */
  | { readonly kind: 'other'; readonly name: string };

/** Two products with an activation between. */
export interface Mlp {
  readonly kind: 'mlp';
  /** Two products joined by a multiplication (SwiGLU, GeGLU) or one. */
  readonly gated: boolean;
  /** Width of the inner activation; a fused gate and up projection is twice this. */
  readonly width: number;
  readonly activation: string;
  readonly bias: boolean;
  /** Gate and up projection are one product (`gate_up_proj`, Phi-3, GLM). */
  readonly fused: boolean;
}

/** A router and the experts that it chooses from. */
export interface MixtureOfExperts {
  readonly kind: 'experts';
  readonly experts: number;
  /** Null where the file does not say: the parameters do not depend on it, a training step does. */
  readonly expertsPerToken: number | null;
  readonly expertWidth: number;
  readonly gated: boolean;
  readonly activation: string;
  readonly bias: boolean;
  /** An MLP that every token passes; `gate`: multiplied by a sigmoid of the input (Qwen2-MoE). */
  readonly shared: { readonly mlp: Mlp; readonly gate: boolean } | null;
  /** A dense MLP beside the experts, added to them (Gemma 4, Arctic). */
  readonly dense: Mlp | null;
  readonly routerBias: boolean;
  /** What turns router logits into weights. */
  readonly routerScore: 'softmax' | 'sigmoid' | 'softmax-of-chosen';
  /** The weights of the chosen experts are divided by their sum. */
  readonly normalised: boolean;
  /** Groups of experts, and how many of them experts are then chosen from (DeepSeek); null: experts are chosen from all. */
  readonly groups: { readonly count: number; readonly chosen: number } | null;
}

/** What joins a vision or audio tower to the language model. */
export interface Connector {
  /** Of the module that holds its layers, such as `model.multi_modal_projector`. */
  readonly path: string;
}

/** What the counted class puts after the last layer. */
export type Head =
  | { readonly kind: 'none' }
  /** The first token through a dense layer with tanh (BERT, ViT base models). */
  | { readonly kind: 'pooler' }
  | {
      readonly kind: 'language-model';
      readonly vocabularySize: number;
      readonly tied: boolean;
      /** A dense layer, activation and norm before the vocabulary (BERT's and RoBERTa's masked-LM head). */
      readonly transform: { readonly size: number; readonly activation: string } | null;
      readonly softCap: number | null;
      /** A constant that multiplies (Cohere) or divides (Granite) the logits; null: none. */
      readonly scale: number | null;
      /** Predicts the next token (shifted labels), a masked one, or a decoder's. */
      readonly objective: 'causal' | 'masked' | 'sequence-to-sequence';
    }
  | {
      readonly kind: 'classifier';
      readonly labels: number;
      /** Over each token, over one for the whole input or the mean of all, or over start and end of an answer. */
      readonly over: 'tokens' | 'input' | 'mean' | 'span';
      /** A dense layer before the last one. */
      readonly transform: { readonly size: number; readonly activation: string } | null;
      readonly dropout: number;
    }
  /** Both towers projected into one space and compared (CLIP, SigLIP). */
  | { readonly kind: 'contrastive' }
  | { readonly kind: 'projection' }
  /** A task of its own, such as masked images or speech codes. */
  | { readonly kind: 'other' };
