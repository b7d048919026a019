/** Which part of the model a process (or card) has. */
import type { Architecture } from '../../model/architecture';
import { parameterTensors } from '../../model/inventory';
import { placedModel, stageModel } from '../../model/stages';
import { type TensorLayout, tensorShard } from '../../model/tensorParallel';
import type { LowRankSettings } from '../configuration';
import type { Module } from '../tape/module';
import { type AdapterPlan, adapterPlans } from './adapterPlan';
import type { Spread } from './distribution';

/** What of a model one process plays. */
export interface ModelPart {
  /** The part as a model of its own. */
  readonly architecture: Architecture;
  /** Full names of its parameters that other stages of a pipeline have. */
  readonly elsewhere: ReadonlySet<string>;
  /** How tensor parallelism has cut modules, by path, and over how many cards. */
  readonly layouts: ReadonlyMap<string, TensorLayout>;
  readonly cards: number;
}

/** The whole model for all strategies that cut no model but its state. */
export function partOf(architecture: Architecture, { pipeline, rank, strategy, world }: Spread): ModelPart {
  const whole = {
    architecture,
    elsewhere: new Set<string>(),
    layouts: new Map<string, TensorLayout>(),
    cards: 1,
  };
  if (pipeline !== null) {
    const { headOnFirst, stage } = pipeline;
    const cut =
      headOnFirst === null ? stageModel(architecture, stage) : placedModel(architecture, stage, headOnFirst);
    return { ...whole, ...cut };
  }
  // DataParallel's other cards have nothing but the replicas that each forward makes.
  if (strategy === 'dp' && rank > 0)
    return { ...whole, elsewhere: new Set(parameterTensors(architecture).map(({ name }) => name)) };
  if (strategy === 'tensor') return { ...whole, ...tensorShard(architecture, world), cards: world };
  return whole;
}

/** Adapters of what the part has. */
export function adaptersOf(
  { architecture, elsewhere }: ModelPart,
  { rank, targets }: LowRankSettings,
): readonly AdapterPlan[] {
  return adapterPlans(architecture, rank, targets).filter(
    ({ modulePath, parameter }) => !elsewhere.has(`${modulePath}.${parameter ?? 'weight'}`),
  );
}

/** Tells the modules that are cut. */
export function shardModules(root: Module, { cards, layouts }: ModelPart): void {
  for (const [path, layout] of layouts) root.at(path).sharded = { layout, cards };
}
