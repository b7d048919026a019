/**
 * A model cut for tensor parallelism as transformers cuts it: each card has a part of every projection, by columns or by rows, and the
 * rest whole. Which projections are cut is a plan that a model's configuration class carries (`base_model_tp_plan`).
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/distributed/tensor_parallel.py
 */
import type { Architecture, FeedForward, Layer, Mlp, Mixer } from './architecture';
import type { ModuleNode, OwnTensor } from './modules';

/**
 * How a projection is cut. `column`: its outputs are divided; `row`: its inputs are, and the results of all cards are summed.
 * `gathered`: outputs are divided and put together again; `split`: of a whole input each card takes its part, and sums follow.
 */
export type TensorLayout = 'column' | 'row' | 'gathered' | 'split';

/** `whole`: not in the plan. */
type Cut = 'columns' | 'gathered' | 'whole';

interface TensorPlan {
  readonly attention: Cut;
  readonly mlp: Cut;
  /** Stacked experts are cut by their inner width, every card having all of them. */
  readonly experts: boolean;
  /** The MLP beside experts that every token passes is cut too. */
  readonly shared: boolean;
}

const columns: TensorPlan = { attention: 'columns', mlp: 'columns', experts: false, shared: false };
const withExperts: TensorPlan = { ...columns, experts: true };
const withShared: TensorPlan = { ...withExperts, shared: true };
// Norms over all heads together need whole queries and keys.
const gatheredAttention: TensorPlan = { ...columns, attention: 'gathered' };

/** Plans by model type, as the configuration classes of transformers 5.17 have them. */
const plans: Readonly<Record<string, TensorPlan>> = {
  ...sameFor(columns, [
    'apertus',
    'arcee',
    'cohere',
    'cohere2',
    'cwm',
    'ernie4_5',
    'exaone4',
    'gemma',
    'gemma2',
    'gemma3_text',
    'gpt_neox',
    'granite',
    'helium',
    'jais2',
    'llama',
    'ministral',
    'ministral3',
    'mistral',
    'nanochat',
    'olmo',
    'phi',
    'qwen2',
    'qwen2_moe',
    'qwen3',
    'seed_oss',
    'smollm3',
    'starcoder2',
    'vaultgemma',
  ]),
  ...sameFor(withExperts, ['minimax', 'mixtral', 'qwen3_moe', 'solar_open']),
  ...sameFor(withShared, ['dots1', 'ernie4_5_moe', 'glm4_moe']),
  ...sameFor({ ...columns, mlp: 'gathered' }, ['glm', 'glm4']),
  ...sameFor(gatheredAttention, ['olmo2', 'olmo3']),
  ...sameFor({ ...gatheredAttention, experts: true }, ['flex_olmo', 'minimax_m2', 'olmoe']),
  ...sameFor({ ...withShared, attention: 'whole' }, ['deepseek_v3']),
  phi3: { ...columns, attention: 'gathered', mlp: 'gathered' },
};

function sameFor(plan: TensorPlan, types: readonly string[]): Readonly<Record<string, TensorPlan>> {
  return Object.fromEntries(types.map((type) => [type, plan]));
}

function planOf({ modelType }: Architecture): TensorPlan | null {
  return modelType !== null && Object.hasOwn(plans, modelType) ? (plans[modelType] ?? null) : null;
}

/** Why a model cannot be cut. */
export type TensorObstacle =
  | { readonly kind: 'no-plan' }
  /** A number of the model that `cards` does not divide: heads, key-value heads, widths, rows of the vocabulary. */
  | {
      readonly kind: 'uneven';
      readonly what: 'heads' | 'key-value-heads' | 'width' | 'vocabulary';
      readonly size: number;
    };

/** What is in the way of cutting a model for so many cards; null: nothing. */
export function tensorObstacle(architecture: Architecture, cards: number): TensorObstacle | null {
  const plan = planOf(architecture);
  if (plan === null || architecture.stacks.length !== 1) return { kind: 'no-plan' };
  const uneven = (
    what: Extract<TensorObstacle, { kind: 'uneven' }>['what'],
    size: number,
  ): TensorObstacle | null => (size % cards === 0 ? null : { kind: 'uneven', what, size });
  const [stack] = architecture.stacks;
  for (const { feedForward, mixer } of new Set(stack?.layers)) {
    if (plan.attention === 'columns') {
      if (mixer.kind !== 'attention') return { kind: 'no-plan' };
      const found = uneven('heads', mixer.heads) ?? uneven('key-value-heads', mixer.keyValueHeads);
      if (found !== null) return found;
    }
    for (const width of cutWidths(feedForward, plan)) {
      const found = uneven('width', width);
      if (found !== null) return found;
    }
  }
  return cutsHead(architecture) && architecture.head.kind === 'language-model'
    ? uneven('vocabulary', architecture.head.vocabularySize)
    : null;
}

function cutWidths(feedForward: FeedForward, plan: TensorPlan): readonly number[] {
  if (feedForward.kind === 'mlp') return plan.mlp === 'whole' ? [] : [feedForward.width];
  if (feedForward.kind !== 'experts') return [];
  const { expertWidth, shared } = feedForward;
  return [
    ...(plan.experts ? [expertWidth] : []),
    ...(plan.shared && shared !== null ? [shared.mlp.width] : []),
  ];
}

/** A head of its own is cut by columns and its logits are gathered; a tied one stays whole with its table. */
const cutsHead = ({ head }: Architecture): boolean => head.kind === 'language-model' && !head.tied;

/** One card's part. */
export interface TensorShard {
  readonly architecture: Architecture;
  /** Layouts of the modules that are cut, by path. */
  readonly layouts: ReadonlyMap<string, TensorLayout>;
}

/** One card's part of a model that `tensorObstacle` has nothing against. */
export function tensorShard(architecture: Architecture, cards: number): TensorShard {
  const plan = planOf(architecture);
  if (plan === null || cards === 1) return { architecture, layouts: new Map() };
  const layouts = new Map<string, TensorLayout>();
  const shards = new Map<Layer, Layer>();
  const shardOf = (layer: Layer): Layer => {
    // Layers of one kind stay one object.
    const shard = shards.get(layer) ?? layerShard(layer, plan, cards);
    shards.set(layer, shard);
    return shard;
  };
  const cutter = new TreeCutter(architecture, plan, cards, layouts);
  return {
    architecture: {
      ...architecture,
      stacks: architecture.stacks.map((stack) => ({ ...stack, layers: stack.layers.map(shardOf) })),
      modules: cutter.cut(architecture.modules, '', null),
    },
    layouts,
  };
}

function layerShard(layer: Layer, plan: TensorPlan, cards: number): Layer {
  return {
    ...layer,
    mixer: plan.attention === 'columns' ? mixerShard(layer.mixer, cards) : layer.mixer,
    feedForward: feedForwardShard(layer.feedForward, plan, cards),
  };
}

function mixerShard(mixer: Mixer, cards: number): Mixer {
  if (mixer.kind !== 'attention') return mixer;
  return { ...mixer, heads: mixer.heads / cards, keyValueHeads: mixer.keyValueHeads / cards };
}

function feedForwardShard(feedForward: FeedForward, plan: TensorPlan, cards: number): FeedForward {
  const narrowed = (mlp: Mlp): Mlp => ({ ...mlp, width: mlp.width / cards });
  if (feedForward.kind === 'mlp') return plan.mlp === 'columns' ? narrowed(feedForward) : feedForward;
  if (feedForward.kind !== 'experts') return feedForward;
  const { expertWidth, shared } = feedForward;
  return {
    ...feedForward,
    expertWidth: plan.experts ? expertWidth / cards : expertWidth,
    shared: plan.shared && shared !== null ? { ...shared, mlp: narrowed(shared.mlp) } : shared,
  };
}

const firstProducts =
  /^(q_proj|k_proj|v_proj|qkv_proj|query_key_value|gate_proj|up_proj|gate_up_proj|c_fc|fc1|dense_h_to_4h)$/;
const secondProducts = /^(o_proj|dense|down_proj|c_proj|fc2|dense_4h_to_h)$/;
const attentionParts = /^(self_attn|attention)$/;
const sharedExperts = /^shared_experts?$/;

/** Cuts the tree of modules, and notes how. */
class TreeCutter {
  constructor(
    private readonly architecture: Architecture,
    private readonly plan: TensorPlan,
    private readonly cards: number,
    private readonly layouts: Map<string, TensorLayout>,
  ) {}

  /** `cut`: how the nearest part of a block (attention, MLP, …) is cut; null outside of the parts. */
  cut(node: ModuleNode, path: string, cut: Cut | null): ModuleNode {
    const layout = this.layoutOf(node, cut);
    if (layout !== null && node.kind === 'linear') {
      this.layouts.set(path, layout);
      return this.linearShard(node, layout);
    }
    if (node.kind === 'expert' && this.plan.experts) return this.expertShard(node);
    return {
      ...node,
      children: node.children.map((child) =>
        this.cut(
          child,
          path === '' ? child.name : `${path}.${child.name}`,
          node.isBlock
            ? this.cutOfPart(child.name)
            : sharedExperts.test(child.name)
              ? this.cutOfShared()
              : cut,
        ),
      ),
    };
  }

  private cutOfPart(name: string): Cut {
    return attentionParts.test(name) ? this.plan.attention : this.plan.mlp;
  }

  private cutOfShared(): Cut {
    return this.plan.shared ? 'columns' : 'whole';
  }

  private layoutOf({ name, parameters }: ModuleNode, cut: Cut | null): TensorLayout | null {
    if (cut === null) {
      const { head } = this.architecture;
      const isHead = head.kind === 'language-model' && parameters[0]?.shape[0] === head.vocabularySize;
      return isHead && cutsHead(this.architecture) ? 'gathered' : null;
    }
    if (cut === 'whole') return null;
    if (firstProducts.test(name)) return cut === 'columns' ? 'column' : 'gathered';
    if (secondProducts.test(name)) return cut === 'columns' ? 'row' : 'split';
    return null;
  }

  private linearShard(node: ModuleNode, layout: TensorLayout): ModuleNode {
    const byOutput = layout === 'column' || layout === 'gathered';
    const shard = (tensor: OwnTensor): OwnTensor => {
      const [outputs = 1, inputs] = tensor.shape;
      // A bias that is added after the sum stays whole.
      if (inputs === undefined) return byOutput ? { ...tensor, shape: [outputs / this.cards] } : tensor;
      return {
        ...tensor,
        shape: byOutput ? [outputs / this.cards, inputs] : [outputs, inputs / this.cards],
      };
    };
    return { ...node, parameters: node.parameters.map(shard) };
  }

  /** Stacked weights [experts, outputs, inputs]: the first product by outputs, the second by inputs. */
  private expertShard(node: ModuleNode): ModuleNode {
    const shard = (tensor: OwnTensor): OwnTensor => {
      const [experts, second, third] = tensor.shape;
      if (experts === undefined || second === undefined) return tensor;
      if (third === undefined)
        return secondProducts.test(tensor.name.replace(/_bias$/, ''))
          ? tensor
          : { ...tensor, shape: [experts, second / this.cards] };
      return {
        ...tensor,
        shape: secondProducts.test(tensor.name)
          ? [experts, second, third / this.cards]
          : [experts, second / this.cards, third],
      };
    };
    return { ...node, parameters: node.parameters.map(shard) };
  }
}
