/**
 * An independent answer to "which plan is best": every way to run a full fine-tuning of a llama under bf16 autocast, its memory by the
 * closed formulas of the memory model and its time by the published rule, both written here. Nothing of the engine or of the code that
 * ranks is used, so the two agree only where both are right.
 */

/** Sizes of a llama: layers, hidden size, MLP width, heads, key-value heads, head size, rows of table and head. */
export interface Llama {
  readonly layers: number;
  readonly hidden: number;
  readonly width: number;
  readonly heads: number;
  readonly keyValueHeads: number;
  readonly headDim: number;
  readonly vocabulary: number;
}

export interface Machine {
  readonly cardBytes: readonly number[];
  /** CUDA and NCCL, on each card. */
  readonly contextBytes: number;
  readonly operationsPerSecond: number;
  readonly memoryBytesPerSecond: number;
  readonly linkBytesPerSecond: number;
}

type Spread =
  | 'single'
  | 'dp'
  | 'ddp'
  | 'ddp-bucket-view'
  | 'fsdp-full'
  | 'fsdp-grad-op'
  | 'zero1'
  | 'zero2'
  | 'zero3'
  | 'tensor'
  | 'pipeline';

export interface Option {
  readonly strategy: Spread;
  readonly world: number;
  readonly recomputes: boolean;
  readonly microBatch: number;
  /** What the fullest card needs, as a share of it. */
  readonly filled: number;
  readonly secondsPerSample: number;
}

const GB = 1e9;
/** DeepSpeed's buckets of 5e8 elements in 16 bits. */
const BUCKET = 1 * GB;

/** All options, with cards of which the larger ones are used first. */
export function options(model: Llama, machine: Machine, batch: number, sequence: number): readonly Option[] {
  const cards = [...machine.cardBytes].sort((a, b) => b - a);
  const found: Option[] = [];
  for (const world of new Set([1, cards.length]))
    for (const strategy of world === 1 ? (['single'] as const) : spreads)
      for (const recomputes of [false, true])
        for (let microBatch = 1; microBatch <= batch; microBatch++) {
          const replicas = strategy === 'tensor' || strategy === 'pipeline' ? 1 : world;
          const steps = batch / (microBatch * replicas);
          if (!Number.isInteger(steps) || (strategy === 'pipeline' && steps < world)) continue;
          if (strategy === 'tensor' && (model.heads % world > 0 || model.keyValueHeads % world > 0)) continue;
          const run = {
            strategy,
            world,
            recomputes,
            microBatch,
            steps,
            tokens: microBatch * sequence,
            sequence,
          };
          found.push({
            strategy,
            world,
            recomputes,
            microBatch,
            filled: filled(model, run, cards.slice(0, world), machine.contextBytes),
            secondsPerSample: stepSeconds(model, run, machine) / batch,
          });
        }
  return found;
}

const spreads: readonly Spread[] = [
  'dp',
  'ddp',
  'ddp-bucket-view',
  'fsdp-full',
  'fsdp-grad-op',
  'zero1',
  'zero2',
  'zero3',
  'tensor',
  'pipeline',
];

interface Run {
  readonly strategy: Spread;
  readonly world: number;
  readonly recomputes: boolean;
  readonly microBatch: number;
  readonly steps: number;
  readonly tokens: number;
  readonly sequence: number;
}

const attentionWidth = ({ headDim, heads }: Llama): number => heads * headDim;
const keyValueWidth = ({ headDim, keyValueHeads }: Llama): number => keyValueHeads * headDim;

/** Weights of a block: four projections, three of the MLP, two norms. */
function layerParameters(model: Llama): number {
  const { hidden, width } = model;
  return 2 * hidden * (attentionWidth(model) + keyValueWidth(model)) + 3 * hidden * width + 2 * hidden;
}

const tableParameters = ({ hidden, vocabulary }: Llama): number => hidden * vocabulary;

export function parameters(model: Llama): number {
  return model.layers * layerParameters(model) + 2 * tableParameters(model) + model.hidden;
}

/** Kept for backward, bytes a token and layer: autocast over fp32 weights, or 16-bit weights (FSDP, DeepSpeed). */
function keptPerToken(model: Llama, autocast: boolean): number {
  const { heads, hidden, width } = model;
  const attention = 4 * attentionWidth(model) + 4 * keyValueWidth(model) + 4 * heads;
  return (autocast ? 26 : 16) * hidden + 8 * width + attention;
}

/** What the fullest card needs as a share of it. */
function filled(model: Llama, run: Run, cards: readonly number[], context: number): number {
  const { strategy, world } = run;
  const all = parameters(model);
  if (strategy === 'dp') {
    // The cards after the first hold a copy of the weights and its gradients, and only through forward and backward.
    const [first = NaN, ...others] = cards;
    const copy = { always: 4 * all, gradients: 4 * all, atEnd: 0 };
    const need = peak(model, run, statesOf(model, run, all)) + context;
    return Math.max(need / first, (peak(model, run, copy) + context) / Math.min(...others));
  }
  if (strategy !== 'pipeline') {
    const outside = strategy === 'single' ? Math.min(context, 0.3 * GB) : context;
    return (peak(model, run, statesOf(model, run, all)) + outside) / Math.min(...cards);
  }
  // Layers by the size of the cards; a stage keeps as many micro-batches as stages follow it, itself included.
  const total = cards.reduce((sum, bytes) => sum + bytes, 0);
  return Math.max(
    ...cards.map((bytes, stage) => {
      const own = (all * bytes) / total;
      const outside = stage === 0 || stage === world - 1 ? tableParameters(model) : 0;
      const layers = (own - outside) / layerParameters(model);
      const kept = layers * (run.recomputes ? 4 * model.hidden : keptPerToken(model, true)) * run.tokens;
      const waiting =
        Math.min(world - stage, run.steps) * (kept + (run.recomputes ? 0 : 2 * (own - outside)));
      const block = run.recomputes ? keptPerToken(model, true) * run.tokens : 0;
      const logits = stage === world - 1 ? 14 * model.vocabulary * run.tokens : 0;
      const buffers = (stage > 0 && stage < world - 1 ? 2 : 1) * run.steps * 4 * model.hidden * run.tokens;
      return (16 * own + waiting + Math.max(block, logits) + buffers + context) / bytes;
    }),
  );
}

/** Peak of a card with these states: at the loss, where all is kept, or where all gradients are. */
function peak(model: Llama, run: Run, states: States): number {
  const { recomputes, steps, strategy, tokens, world } = run;
  const linear = model.layers * layerParameters(model) + tableParameters(model);
  const autocast = !strategy.startsWith('fsdp') && !strategy.startsWith('zero');
  const share = strategy === 'tensor' ? world : 1;
  // Tensor parallelism divides what is inside of attention and MLP, not the hidden states.
  const inside = keptPerToken(model, autocast) - (autocast ? 26 : 16) * model.hidden;
  const layer = (keptPerToken(model, autocast) - inside + inside / share) * tokens;
  const input = (autocast ? 4 : 2) * model.hidden * tokens;
  const kept = model.layers * (recomputes ? input : layer);
  const logits = 12 * model.vocabulary * tokens;
  const casts = autocast ? (2 * linear) / share : 0;
  const atLoss = kept + logits + (recomputes ? 0 : casts);
  const inBackward = kept + layer + (recomputes ? 0 : casts);
  const early = states.always + (steps > 1 ? states.gradients : 0);
  return Math.max(
    early + atLoss,
    states.always + inBackward * 0.5 + states.gradients,
    states.always + states.gradients + states.atEnd,
  );
}

/** Weights, optimizer and buffers that are always there; gradients; and what is there beside both at the end of a step. */
interface States {
  readonly always: number;
  readonly gradients: number;
  readonly atEnd: number;
}

/** Of DataParallel its first card's. */
function statesOf(model: Llama, { strategy, world }: Run, all: number): States {
  const layer = layerParameters(model);
  const outside = 2 * tableParameters(model);
  switch (strategy) {
    case 'single':
    case 'pipeline':
      return { always: 12 * all, gradients: 4 * all, atEnd: 0 };
    case 'dp':
      // The sums of all cards' gradients beside the first card's own.
      return { always: 12 * all, gradients: 4 * all, atEnd: 4 * all };
    case 'ddp':
      return { always: 16 * all, gradients: 4 * all, atEnd: 0 };
    case 'ddp-bucket-view':
      return { always: 16 * all, gradients: 0, atEnd: 0 };
    case 'tensor': {
      const whole = tableParameters(model);
      const own = (all - whole) / world + whole;
      return { always: 12 * own, gradients: 4 * own, atEnd: 0 };
    }
    case 'fsdp-full':
      // Embeddings and head are gathered through the step, blocks one or two at a time; their gradients are reduced in fp32.
      return {
        always: (12 * all) / world + 2 * outside + 12 * layer,
        gradients: (4 * all) / world,
        atEnd: 6 * outside,
      };
    case 'fsdp-grad-op':
      return {
        always: (12 * all) / world + 2 * all + 8 * layer,
        gradients: (4 * all) / world,
        atEnd: 6 * outside,
      };
    case 'zero1':
      return { always: 2 * all + (12 * all) / world, gradients: 2 * all, atEnd: (6 * all) / world + BUCKET };
    case 'zero2':
      return {
        always: 2 * all + (12 * all) / world + 2 * BUCKET,
        gradients: (2 * all) / world,
        atEnd: (4 * all) / world,
      };
    case 'zero3':
      return {
        always: (16 * all) / world + BUCKET + 2 * outside + 12 * layer,
        gradients: (2 * all) / world,
        atEnd: 2 * outside,
      };
  }
}

/** Seconds of a step by the rule: the slower of computing and of what is exchanged beside it, plus what is exposed, optimizer, bubble. */
function stepSeconds(model: Llama, run: Run, machine: Machine): number {
  const { recomputes, steps, strategy, tokens, world } = run;
  const all = parameters(model);
  const divided = strategy === 'tensor' || strategy === 'pipeline' ? world : 1;
  const attention = 12 * model.layers * attentionWidth(model) * run.sequence * 0.5;
  const operations = tokens * (6 * (all - tableParameters(model)) + attention) * (recomputes ? 4 / 3 : 1);
  // What surrounds the products passes the card's memory: each kept byte a few times.
  const passes = 4 * model.layers * keptPerToken(model, true) * tokens * (recomputes ? 4 / 3 : 1);
  // What is gathered is copied out of one buffer into the weights, and gradients into another: read and written, for both gathers.
  const gathers = strategy.startsWith('fsdp') || strategy === 'zero3' ? 2 * 2 * 2 * 2 * all : 0;
  const busy = operations / machine.operationsPerSecond + passes / machine.memoryBytesPerSecond;
  // Autocast reads fp32 weights and writes 16-bit copies of them for every micro-batch.
  const casts = strategy.startsWith('fsdp') || strategy.startsWith('zero') ? 0 : (6 * all) / divided;
  const micro = busy / divided + (gathers + casts) / machine.memoryBytesPerSecond;
  const around = (bytes: number): number => (bytes * (world - 1)) / world / machine.linkBytesPerSecond;
  const shards = ['fsdp-full', 'fsdp-grad-op', 'zero1', 'zero2', 'zero3', 'tensor', 'pipeline'].includes(
    strategy,
  );
  const optimizer = (28 * all) / (shards ? world : 1) / machine.memoryBytesPerSecond;
  const [beside, once] = exchanged(model, run, around);
  const eachMicro = Math.max(micro, beside);
  const bubble = strategy === 'pipeline' ? (world - 1) / steps : 0;
  const shown = Math.max(0, once.beside - (2 / 3) * micro);
  return steps * eachMicro * (1 + bubble) + shown + once.exposed + optimizer;
}

type Exchanged = readonly [beside: number, once: { readonly beside: number; readonly exposed: number }];

/** Seconds of exchange with every micro-batch beside computing, and once a step beside the last backward or alone. */
function exchanged(
  model: Llama,
  { recomputes, steps, strategy, tokens, world }: Run,
  around: (bytes: number) => number,
): Exchanged {
  const all = parameters(model);
  const nothing = { beside: 0, exposed: 0 };
  switch (strategy) {
    case 'single':
      return [0, nothing];
    case 'dp':
      // Weights go out with every forward, gradients come back after every backward.
      return [0, { beside: 0, exposed: steps * world * around(8 * all) }];
    case 'ddp':
    case 'ddp-bucket-view':
      return [0, { beside: around(2 * 4 * all), exposed: 0 }];
    case 'zero1':
      return [0, { beside: around(2 * all), exposed: around(2 * all) }];
    case 'zero2':
      return [around(2 * all), { beside: 0, exposed: around(2 * all) }];
    case 'fsdp-full':
      return [around(2 * all + 2 * all + 4 * all), nothing];
    case 'fsdp-grad-op':
      return [around(2 * all + 4 * all), nothing];
    case 'zero3':
      return [around(2 * all + 2 * all + 2 * all), nothing];
    case 'tensor': {
      const sums = (recomputes ? 4 : 2) + 5;
      const summed = 2 * sums * model.layers * model.hidden * tokens * 2;
      return [0, { beside: 0, exposed: steps * around(summed + 2 * model.vocabulary * tokens) }];
    }
    case 'pipeline':
      return [
        0,
        { beside: 0, exposed: steps * around((2 * 4 * model.hidden * tokens * world) / (world - 1)) },
      ];
  }
}
