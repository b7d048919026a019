/** DeepSpeed's ZeRO stage 3: weights, gradients and optimizer state in parts. */
import type { BuiltModel, Module } from '../../tape/module';
import type { ModuleKind } from '../../../model/modules';
import { beforeBackwardOf, afterBackwardOf } from '../../tape/passage';
import { release, type Tape } from '../../tape/tape';
import { FP32, type Parameter, type Tensor } from '../../tape/tensor';
import type { Distribution } from '../distribution';
import { isParameter, ownParameters, replaceParameters } from '../sharding/shardedParameter';
import { normBytes, type ZeroThreeSettings } from './config';
import { CallPath, type Container, containerOf, isList } from './callPath';
import { type Direction, ParameterCoordinator, type TracedModule } from './coordinator';
import { ParameterGatherer, type ZeroParameter, zeroParameter } from './gathering';
import { GradientBucket } from './gradientBucket';

const reduceStream = 2;

/** Modules that the simulation calls one by one. */
const layerKinds: ReadonlySet<ModuleKind> = new Set(['linear', 'conv1d', 'convolution', 'embedding', 'norm']);

/**
 * Shards lie in one flat buffer, with an fp32 copy of them in sub-groups; gradients are copied into one bucket that always exists,
 * joined again to be reduced, and their shards kept in the model's type in one more flat buffer. The optimizer's step upcasts the
 * gradients of one sub-group at a time.
 * https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/runtime/zero/stage3.py
 */
export class ZeroThreeTraining implements Distribution {
  readonly trained: readonly Parameter[];
  readonly optimizerOnCard: boolean;
  private readonly bytes: number;
  private readonly parameters: readonly ZeroParameter[];
  private readonly subGroups: readonly (readonly ZeroParameter[])[];
  private readonly coordinator: ParameterCoordinator;
  private readonly gatherer: ParameterGatherer;
  /** What the model itself is gathered with: parameters of no layer or block. */
  private readonly root: TracedModule = { parameters: [] };
  private readonly paths = { forward: new CallPath(), backward: new CallPath() };
  private readonly bucket = new GradientBucket<ZeroParameter>();
  private readonly buffer: Tensor;
  private readonly norms: Tensor[] = [];
  private isLast = true;

  constructor(
    private readonly tape: Tape,
    { root }: BuiltModel,
    trained: readonly Parameter[],
    private readonly settings: ZeroThreeSettings,
  ) {
    const { config, optimizerOnHost, parametersOnHost, world } = settings;
    this.optimizerOnCard = !optimizerOnHost;
    this.bytes = trained[0]?.elementBytes ?? FP32;
    tape.keepsProductInputs = true;
    const byOriginal = new Map<Parameter, ZeroParameter>();
    for (const original of parametersBelow(root)) {
      if (byOriginal.has(original)) continue;
      byOriginal.set(original, zeroParameter(tape, original, world, config.persistenceElements));
    }
    this.parameters = [...byOriginal.values()];
    this.gatherer = new ParameterGatherer(tape, {
      world,
      shardsOnHost: parametersOnHost,
      overlaps: config.overlapsCommunication,
    });
    this.coordinator = new ParameterCoordinator(this.gatherer, config);
    this.partition(parametersOnHost);
    replaceParameters(root, new Map([...byOriginal].map(([original, { whole }]) => [original, whole])));
    for (const original of byOriginal.keys()) release(original);
    const updated = this.parameters.filter(({ whole }) => whole.requiresGradient);
    this.subGroups = inSubGroups(updated, config.subGroupElements);
    this.trained = this.makeMasters();
    this.buffer = tape.createOwned([config.reduceBucketElements], this.bytes, 'buffers');
    if (this.optimizerOnCard) tape.createOwned([shardTotal(updated)], this.bytes, 'gradients');
    const byWhole = new Map(this.parameters.map((parameter) => [parameter.whole, parameter]));
    this.hook(root, this.root, [], byWhole);
    for (const parameter of updated) parameter.whole.afterGradient = () => this.gradientReady(parameter);
  }

  forward(body: () => Tensor, isLast: boolean): Tensor {
    this.isLast = isLast;
    this.coordinator.beginForward();
    this.paths.forward.reset();
    this.paths.backward.reset();
    return body();
  }

  finishBackward(): void {
    this.reduce();
    this.coordinator.finishBackward();
  }

  update(step: () => void): void {
    const { bytes, coordinator, gatherer, norms, subGroups, tape, trained } = this;
    coordinator.releaseAll(this.parameters);
    if (this.optimizerOnCard) {
      for (const group of subGroups) for (const { shardElements } of group) this.keepNorm(shardElements);
      for (const [index, group] of subGroups.entries()) {
        const master = trained[index];
        if (master === undefined) continue;
        const count = shardTotal(group);
        const joined = tape.createOwned([count], bytes, 'gradients');
        // The optimizer's gradient is fp32; in fp32 it is what was joined.
        master.gradient = bytes === FP32 ? tape.alias(joined) : tape.createOwned([count], FP32, 'gradients');
        release(joined);
        step();
        if (master.gradient !== null) release(master.gradient);
        master.gradient = null;
      }
    }
    for (const norm of norms.splice(0)) release(norm);
    gatherer.gatherNow(this.parameters.filter(({ persists }) => persists));
  }

  /** `zero.Init` leaves a shard of each; those that are trained are then joined, one copy more while that is done. */
  private partition(onHost: boolean): void {
    const { tape } = this;
    if (onHost) return;
    const frozen = this.parameters.filter(({ whole }) => !whole.requiresGradient);
    for (const { shardElements, whole } of frozen)
      tape.createOwned([shardElements], whole.elementBytes, 'parameters');
    const updated = this.parameters.filter(({ whole }) => whole.requiresGradient);
    tape.createOwned([shardTotal(updated)], this.bytes, 'parameters');
  }

  /** An fp32 copy of each sub-group; in fp32 the shards themselves are updated. */
  private makeMasters(): readonly Parameter[] {
    const { bytes, optimizerOnCard, tape } = this;
    return this.subGroups.map((group) => {
      const count = shardTotal(group);
      const make = optimizerOnCard && bytes !== FP32 ? 'createParameter' : 'createEmptyParameter';
      return tape[make]('master weights', [count], FP32, true);
    });
  }

  /** Leaves and blocks are called; what is not called itself is gathered with the block (or model) around it. */
  private hook(
    module: Module,
    around: TracedModule,
    containers: readonly Container[],
    byWhole: ReadonlyMap<Tensor, ZeroParameter>,
  ): void {
    const own: TracedModule = { parameters: [] };
    for (const tensor of ownParameters(module)) {
      const parameter = byWhole.get(tensor);
      if (parameter !== undefined) own.parameters.push(parameter);
    }
    const self = containerOf(module, own);
    const isLayer = layerKinds.has(module.kind);
    if (module.isBlock) this.hookBlock(module, own, containers, self);
    else if (!isLayer) around.parameters.push(...own.parameters);
    else if (own.parameters.length > 0) this.hookLayer(module, own, containers);
    const isContainer = module.isBlock || !(isLayer || isList(module));
    const inside = isContainer
      ? [...containers, module.isBlock ? self : containerOf(module, { parameters: [] })]
      : containers;
    for (const child of module.children) this.hook(child, module.isBlock ? own : around, inside, byWhole);
  }

  private hookBlock(
    module: Module,
    own: TracedModule,
    containers: readonly Container[],
    self: Container,
  ): void {
    const { coordinator, tape } = this;
    module.hooks = {
      before: (input) => {
        this.enter(own, 'forward', containers, self);
        return afterBackwardOf(tape, input, () => {
          coordinator.leave(own, 'backward');
        });
      },
      after: (output) => {
        coordinator.leave(own, 'forward');
        beforeBackwardOf(output, () => {
          this.enter(own, 'backward', containers, self);
        });
      },
    };
  }

  private hookLayer(module: Module, own: TracedModule, containers: readonly Container[]): void {
    const { coordinator, tape } = this;
    module.layerHooks = {
      beforeForward: () => {
        this.enter(own, 'forward', containers, null);
      },
      track: (input) =>
        afterBackwardOf(tape, input, () => {
          coordinator.leave(own, 'backward');
        }),
      afterForward: (output) => {
        coordinator.leave(own, 'forward');
        beforeBackwardOf(output, () => {
          this.enter(own, 'backward', containers, null);
        });
      },
    };
  }

  private enter(
    module: TracedModule,
    direction: Direction,
    containers: readonly Container[],
    self: Container | null,
  ): void {
    for (const container of this.paths[direction].enter(containers, self))
      this.coordinator.fetch(container, direction);
    this.coordinator.fetch(module, direction);
  }

  private gradientReady(parameter: ZeroParameter): void {
    const { reduceBucketElements } = this.settings.config;
    const { bucket } = this;
    if (bucket.elements + parameter.elements > reduceBucketElements && bucket.elements > 0) this.reduce();
    if (bucket.elements + parameter.elements <= reduceBucketElements) {
      drop(parameter);
      parameter.whole.gradient = this.tape.part(this.buffer, parameter.whole.shape);
    }
    bucket.add(parameter, parameter.elements);
  }

  /** `reduce_scatter_coalesced`: a joined copy, of which this process' shards are kept. One gradient that needs no padding is its own. */
  private reduce(): void {
    const { bytes, settings, tape } = this;
    const { overlapsCommunication } = settings.config;
    const waiting = this.bucket.take();
    const [first] = waiting;
    if (first === undefined) return;
    const body = (): void => {
      const isAlone = waiting.length === 1 && first.elements % settings.world === 0;
      const joined = isAlone
        ? null
        : tape.createOwned([shardTotal(waiting) * settings.world], bytes, 'buffers');
      for (const parameter of waiting) {
        if (!this.optimizerOnCard) this.sendToHost(parameter);
        drop(parameter);
      }
      if (joined !== null) release(joined);
    };
    if (overlapsCommunication) tape.onStream(reduceStream, body);
    else body();
  }

  /** The shard comes back from its buffer in the machine's memory; with the last micro-batch its norm is taken and it is upcast. */
  private sendToHost({ shardElements }: ZeroParameter): void {
    const { bytes, tape } = this;
    const shard = tape.createOwned([shardElements], bytes, 'gradients');
    if (this.isLast) {
      this.keepNorm(shardElements);
      if (bytes !== FP32) this.scratch(shardElements, FP32);
    }
    release(shard);
  }

  private keepNorm(count: number): void {
    this.scratch(count, normBytes);
    this.norms.push(this.tape.createOwned([1], normBytes, 'workspace'));
  }

  private scratch(count: number, elementBytes: number): void {
    const { tape } = this;
    tape.frame([], () => tape.as('buffers', () => tape.scratch(count * elementBytes)));
  }
}

function drop({ whole }: ZeroParameter): void {
  if (whole.gradient !== null) release(whole.gradient);
  whole.gradient = null;
}

const shardTotal = (parameters: readonly ZeroParameter[]): number =>
  parameters.reduce((sum, { shardElements }) => sum + shardElements, 0);

/** A sub-group is full when it has reached its size. */
function inSubGroups(
  parameters: readonly ZeroParameter[],
  size: number,
): readonly (readonly ZeroParameter[])[] {
  const groups: ZeroParameter[][] = [];
  let current: ZeroParameter[] = [];
  for (const parameter of parameters) {
    current.push(parameter);
    if (shardTotal(current) < size) continue;
    groups.push(current);
    current = [];
  }
  return current.length > 0 ? [...groups, current] : groups;
}

/** In the order of `named_parameters`: a module's own, then its children's. */
function parametersBelow(module: Module): readonly Parameter[] {
  return [
    ...ownParameters(module).filter(isParameter),
    ...module.children.flatMap((child) => parametersBelow(child)),
  ];
}
