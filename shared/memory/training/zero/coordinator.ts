/** When ZeRO's stage 3 gathers parameters and gives them back. */
import type { ZeroConfig } from './config';
import type { ParameterGatherer, ZeroParameter } from './gathering';

/** A module as the coordinator sees it: a place in the order of calls, with parameters of its own or none. */
export interface TracedModule {
  readonly parameters: ZeroParameter[];
}

export type Direction = 'forward' | 'backward';

interface Use {
  readonly parameter: ZeroParameter;
  /** The call that it is for. */
  readonly step: number;
}

const never = -Infinity;

/**
 * `PartitionedParameterCoordinator`. The first forward and backward gather what a module needs when it is called and give it back right
 * after; the order of calls is noted. From then on parameters are gathered ahead in that order, up to `stage3_max_live_parameters`, and
 * stay where they are used again within `stage3_max_reuse_distance`.
 * https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/runtime/zero/partitioned_param_coordinator.py
 */
export class ParameterCoordinator {
  private isTraced = false;
  /** Calls of modules, forward and backward, in order. */
  private readonly calls: TracedModule[] = [];
  private uses: readonly Use[] = [];
  /** Where in `uses` gathering ahead has got to. */
  private nextUse = 0;
  private step = 0;
  private available = 0;
  private lastFetchedFor = new Map<ZeroParameter, number>();
  private readonly users = new Map<ZeroParameter, Set<TracedModule>>();
  /** In backward and not done; those whose input needs no gradient never are. */
  private readonly inBackward = new Set<TracedModule>();
  /** What a call may give back, which DeepSpeed finds out once (`lru_cache`). */
  private readonly releasable = new Map<TracedModule, Map<number, ReadonlySet<ZeroParameter>>>();
  private isFirst = true;

  constructor(
    private readonly gatherer: ParameterGatherer,
    private readonly config: ZeroConfig,
  ) {}

  /** `reset_step`: before each forward of the model. */
  beginForward(): void {
    for (const parameter of this.gatherer.waitForAll()) this.release(parameter);
    if (!this.isFirst && !this.isTraced) this.finishTrace();
    this.isFirst = false;
    this.nextUse = 0;
    this.lastFetchedFor = new Map();
    this.step = 0;
    this.available = 0;
  }

  /** A module's forward begins, or its backward. */
  fetch(module: TracedModule, direction: Direction): void {
    if (!this.isTraced) this.calls.push(module);
    if (direction === 'backward') {
      this.inBackward.delete(module);
      this.inBackward.add(module);
    }
    this.gather(module.parameters);
    for (const parameter of module.parameters) {
      this.usersOf(parameter).add(module);
      this.gatherer.wait(parameter);
    }
    if (this.isTraced) this.gatherAhead(module);
    this.step++;
  }

  /** It ends. */
  leave(module: TracedModule, direction: Direction): void {
    const releasable = this.isTraced ? this.releasableBy(module) : new Set(module.parameters);
    if (direction === 'backward') this.inBackward.delete(module);
    for (const parameter of module.parameters) {
      this.usersOf(parameter).delete(module);
      if (releasable.has(parameter)) this.release(parameter);
    }
  }

  /** `release_backward_leftovers`: modules that backward did not leave, such as tables. */
  finishBackward(): void {
    for (const module of [...this.inBackward].reverse())
      for (const parameter of module.parameters) {
        this.usersOf(parameter).delete(module);
        if (!parameter.persists) this.release(parameter);
      }
    this.inBackward.clear();
  }

  /** `release_and_reset_all`: before the optimizer's step. */
  releaseAll(parameters: readonly ZeroParameter[]): void {
    for (const parameter of parameters) {
      this.gatherer.wait(parameter);
      this.usersOf(parameter).clear();
      this.release(parameter);
    }
  }

  private finishTrace(): void {
    this.isTraced = true;
    this.uses = this.calls.flatMap(({ parameters }, step) =>
      parameters.map((parameter) => ({ parameter, step })),
    );
  }

  private gatherAhead({ parameters }: TracedModule): void {
    const { config, step } = this;
    const needed = new Set(parameters.filter((parameter) => this.fetchedFor(parameter) < step));
    // Its own parameters are the next in the order, unless they were gathered ahead.
    for (let count = 0; count < needed.size; count++) this.takeUse();
    const most = Math.min(config.maxLiveElements - this.available, config.prefetchElements);
    const ahead = new Set<ZeroParameter>();
    let gathering = 0;
    while (gathering < most) {
      const parameter = this.takeUse();
      if (parameter === null) break;
      if (parameter.status !== 'partitioned' || ahead.has(parameter)) continue;
      ahead.add(parameter);
      gathering += parameter.elements;
    }
    this.gather([...ahead]);
  }

  private takeUse(): ZeroParameter | null {
    const use = this.uses[this.nextUse];
    if (use === undefined) return null;
    this.nextUse++;
    this.lastFetchedFor.set(use.parameter, Math.max(this.fetchedFor(use.parameter), use.step));
    return use.parameter;
  }

  private gather(parameters: readonly ZeroParameter[]): void {
    const partitioned = parameters.filter(({ status }) => status === 'partitioned');
    for (const { elements } of partitioned) this.available += elements;
    this.gatherer.start(partitioned);
  }

  private release(parameter: ZeroParameter): void {
    if (parameter.status !== 'available' || this.usersOf(parameter).size > 0) return;
    this.gatherer.free(parameter);
    this.available -= parameter.elements;
  }

  /** Not what stays, what was already passed over for a later call, or what comes again soon. */
  private releasableBy(module: TracedModule): ReadonlySet<ZeroParameter> {
    const { calls, config, step } = this;
    const bySteps = this.releasable.get(module) ?? new Map<number, ReadonlySet<ZeroParameter>>();
    this.releasable.set(module, bySteps);
    const known = bySteps.get(step);
    if (known !== undefined) return known;
    const released = new Set(
      module.parameters.filter((parameter) => !parameter.persists && this.fetchedFor(parameter) <= step),
    );
    let passed = 0;
    for (let index = step; index < calls.length && passed < config.maxReuseElements; index++)
      for (const parameter of calls[index]?.parameters ?? []) {
        released.delete(parameter);
        passed += parameter.elements;
      }
    bySteps.set(step, released);
    return released;
  }

  private fetchedFor(parameter: ZeroParameter): number {
    return this.lastFetchedFor.get(parameter) ?? never;
  }

  private usersOf(parameter: ZeroParameter): Set<TracedModule> {
    const known = this.users.get(parameter);
    if (known !== undefined) return known;
    const users = new Set<TracedModule>();
    this.users.set(parameter, users);
    return users;
  }
}
