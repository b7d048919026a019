/**
 * A model cut into stages for pipeline parallelism and for layers placed on several cards: runs of whole layers, what stands before
 * the layers on the first stage, what stands after them on the last.
 */
import type { Architecture } from './architecture';
import { blockPaths, type ParameterTensor, parameterTensors } from './inventory';
import type { ModuleNode } from './modules';

/** One stage: which layers of the model's only stack it holds, counted from 0. */
export interface Stage {
  readonly index: number;
  /** Stages of the whole model. */
  readonly count: number;
  readonly firstLayer: number;
  readonly layers: number;
}

/** Whether the output layer's weight is the table of embeddings. */
export const isTied = ({ head }: Architecture): boolean => head.kind === 'language-model' && head.tied;

/** Path of the output layer whose weight is the table of embeddings; null where it has its own. */
export function tiedHeadPath(architecture: Architecture): string | null {
  if (!isTied(architecture)) return null;
  const tied = parameterTensors(architecture).find(
    ({ module, name, tiedTo }) => tiedTo !== null && module === 'linear' && name.endsWith('.weight'),
  );
  return tied?.modulePath ?? null;
}

/** Why a model cannot be cut; null: it can. */
export type StageObstacle = 'several-stacks' | 'shared-layers' | 'too-few-layers';

/**
 * What is in the way of cutting a model into `count` stages: more than one stack (an encoder beside a decoder, a tower beside a
 * language model), layers that share their weights (ALBERT), or fewer layers than stages.
 */
export function stageObstacle(architecture: Architecture, count: number): StageObstacle | null {
  const [stack, ...others] = architecture.stacks;
  if (stack === undefined || others.length > 0) return 'several-stacks';
  if (blockPaths(architecture).length !== stack.layers.length) return 'shared-layers';
  return count > stack.layers.length ? 'too-few-layers' : null;
}

/**
 * Layers of each stage, in order; their sum is the model's number of layers and none is 0. The cut keeps the fullest card as empty as
 * possible, counting parameters: embeddings on the first stage, final norm and head on the last; a tied head counts on both, because
 * each of them needs a copy. Among cuts that are equal in this, the most even one.
 *
 * `shares`: one number a stage, the size of its card; only their ratios matter, so equal cards may all have 1. Null where the model
 * cannot be cut (`stageObstacle`) or a share is not a positive number.
 */
export function stageLayers(architecture: Architecture, shares: readonly number[]): readonly number[] | null {
  if (shares.length === 0 || stageObstacle(architecture, shares.length) !== null) return null;
  if (!shares.every((share) => share > 0 && Number.isFinite(share))) return null;
  const { before, layers, after } = parameterGroups(architecture);
  const sums = [0];
  for (const layer of layers) sums.push((sums[sums.length - 1] ?? 0) + layer);
  const last = shares.length - 1;
  /** How full a stage's card is that holds the layers from `from` up to `to`. */
  const load = (stage: number, from: number, to: number): number =>
    ((sums[to] ?? 0) - (sums[from] ?? 0) + (stage === 0 ? before : 0) + (stage === last ? after : 0)) /
    (shares[stage] ?? 1);
  // Of the best cut of the first `to` layers into the stages so far: how full the fullest card is, the sum of all squared (least where
  // they are even), and where its last stage begins.
  let cuts: readonly (Cut | null)[] = sums.map((_, to) =>
    to === 0 ? null : { most: load(0, 0, to), squares: load(0, 0, to) ** 2, from: 0, before: null },
  );
  for (let stage = 1; stage <= last; stage++) {
    const begun = cuts;
    cuts = sums.map((_, to) => {
      let found: Cut | null = null;
      for (let from = stage; from < to; from++) {
        const before = begun[from];
        if (before === null || before === undefined) continue;
        const own = load(stage, from, to);
        const most = Math.max(before.most, own);
        const squares = before.squares + own ** 2;
        if (found === null || isBetter(most, squares, found)) found = { most, squares, from, before };
      }
      return found;
    });
  }
  const counts: number[] = [];
  let end = layers.length;
  for (let cut = cuts[end] ?? null; cut !== null; cut = cut.before) {
    counts.unshift(end - cut.from);
    end = cut.from;
  }
  return counts;
}

interface Cut {
  readonly most: number;
  readonly squares: number;
  readonly from: number;
  /** The cut of the layers before `from`. */
  readonly before: Cut | null;
}

/** Sums of different order differ by rounding. */
const roundingShare = 1e-12;

function isBetter(most: number, squares: number, than: Cut): boolean {
  if (Math.abs(most - than.most) > roundingShare * than.most) return most < than.most;
  return squares < than.squares * (1 - roundingShare);
}

/** Parameters before the layers, of each layer, and after them. */
function parameterGroups(architecture: Architecture): {
  readonly before: number;
  readonly layers: readonly number[];
  readonly after: number;
} {
  const paths = blockPaths(architecture);
  const byPath = new Map(paths.map((path) => [path, 0]));
  const places = outsidePlaces(architecture);
  let [before, after] = [0, 0];
  for (const { blockPath, elements, name, tiedTo } of parameterTensors(architecture)) {
    if (blockPath === null) {
      if (places.get(name) === 'last') after += elements;
      else if (tiedTo === null) before += elements;
    } else if (tiedTo === null) byPath.set(blockPath, (byPath.get(blockPath) ?? 0) + elements);
  }
  return { before, after, layers: paths.map((path) => byPath.get(path) ?? 0) };
}

/** Parameters of each stage, a tied head's copy included; null where the model cannot be cut so. */
export function stageParameters(
  architecture: Architecture,
  shares: readonly number[],
): readonly number[] | null {
  const stages = stagesOf(architecture, shares);
  if (stages === null) return null;
  const { after, before, layers } = parameterGroups(architecture);
  return stages.map(({ count, firstLayer, index, layers: own }) => {
    const inside = layers.slice(firstLayer, firstLayer + own).reduce((sum, layer) => sum + layer, 0);
    return inside + (index === 0 ? before : 0) + (index === count - 1 ? after : 0);
  });
}

/**
 * Which stage holds each parameter outside of the layers: by the order of registration, but embeddings always come first, and where
 * nothing is normed after the layers a norm beside them is the final one (OPT registers it before them).
 */
export function outsidePlaces(architecture: Architecture): ReadonlyMap<string, 'first' | 'last'> {
  const tensors = parameterTensors(architecture);
  const firstBlock = tensors.findIndex(({ blockPath }) => blockPath !== null);
  const isOutside = ({ blockPath }: ParameterTensor): boolean => blockPath === null;
  const hasNormAfter = tensors
    .slice(firstBlock)
    .some((tensor) => isOutside(tensor) && tensor.module === 'norm');
  const beside = parentOf(parentOf(tensors[firstBlock]?.blockPath ?? ''));
  const isFinalNorm = ({ module, modulePath }: ParameterTensor): boolean =>
    module === 'norm' && !hasNormAfter && parentOf(modulePath) === beside;
  return new Map(
    tensors.flatMap((tensor, index) => {
      if (!isOutside(tensor)) return [];
      const isLast = tensor.module !== 'embedding' && (index > firstBlock || isFinalNorm(tensor));
      return [[tensor.name, isLast ? 'last' : 'first'] as const];
    }),
  );
}

const parentOf = (path: string): string => path.split('.').slice(0, -1).join('.');

/** The stages of a model, or null where it cannot be cut so. */
export function stagesOf(architecture: Architecture, shares: readonly number[]): readonly Stage[] | null {
  const counts = stageLayers(architecture, shares);
  if (counts === null) return null;
  let firstLayer = 0;
  return counts.map((layers, index) => {
    const stage = { index, count: counts.length, firstLayer, layers };
    firstLayer += layers;
    return stage;
  });
}

/**
 * The model as one card sees it whose layers one process has placed on several, where its head is tied: there is one table, so the head at
 * `headPath` stays with it on the first card, which gets the hidden states back already normed.
 */
export function placedModel(
  architecture: Architecture,
  stage: Stage,
  headPath: string,
): { readonly architecture: Architecture; readonly elsewhere: ReadonlySet<string> } {
  const cut = stageModel(architecture, stage);
  const head = `${headPath}.weight`;
  if (stage.index > 0) return { ...cut, elsewhere: new Set([...cut.elsewhere, head]) };
  return {
    architecture: {
      ...cut.architecture,
      stacks: cut.architecture.stacks.map((stack) => ({ ...stack, finalNorm: null })),
    },
    elsewhere: new Set([...cut.elsewhere].filter((name) => name !== head)),
  };
}

/**
 * The model as one stage of several sees it: its layers, numbered from 0, and the modules around them, of which the parameters named
 * in `elsewhere` belong to other stages. What is tied to one of those has its own memory here: a table and a head that share their
 * weight are on two stages.
 */
export function stageModel(
  architecture: Architecture,
  { count, firstLayer, index, layers }: Stage,
): { readonly architecture: Architecture; readonly elsewhere: ReadonlySet<string> } {
  if (count === 1) return { architecture, elsewhere: new Set() };
  const places = outsidePlaces(architecture);
  const isHere = { first: index === 0, last: index === count - 1 };
  const elsewhere = new Set([...places].flatMap(([name, place]) => (isHere[place] ? [] : [name])));
  return {
    architecture: {
      ...architecture,
      stacks: architecture.stacks.map((stack) => ({
        ...stack,
        layers: stack.layers.slice(firstLayer, firstLayer + layers),
      })),
      modules: cutTree(architecture.modules, firstLayer, firstLayer + layers, elsewhere),
    },
    elsewhere,
  };
}

function cutTree(node: ModuleNode, from: number, to: number, elsewhere: ReadonlySet<string>): ModuleNode {
  const ties = Object.fromEntries(Object.entries(node.ties).filter(([, target]) => !elsewhere.has(target)));
  const isList = node.children.length > 0 && node.children.every(({ isBlock }) => isBlock);
  if (!isList)
    return { ...node, ties, children: node.children.map((child) => cutTree(child, from, to, elsewhere)) };
  return {
    ...node,
    children: node.children.slice(from, to).map((child, index) => ({ ...child, name: String(index) })),
  };
}
