/** How ZeRO's stage 3 makes parameters whole. */
import { gatherPlace } from '../../tape/places';
import { release, type Tape } from '../../tape/tape';
import { elements, type Parameter, type Tensor } from '../../tape/tensor';

const gatherStream = 1;

/** Parameters that were gathered together. */
interface Gathered {
  /** The buffer of all shards; null: a single parameter's buffer is the parameter itself. */
  readonly flat: Tensor | null;
  readonly parameters: readonly ZeroParameter[];
  /** Those whose module has not come yet; the buffer stays until all have. */
  readonly awaited: Set<ZeroParameter>;
  isCopied: boolean;
}

/** A parameter of which this process has a shard. */
export interface ZeroParameter {
  /** The whole one, without memory while it is not gathered. */
  readonly whole: Parameter;
  readonly elements: number;
  readonly shardElements: number;
  /** Small enough to stay gathered. */
  readonly persists: boolean;
  /** `ZeroParamStatus`. */
  status: 'partitioned' | 'in-flight' | 'available';
  pending: Gathered | null;
}

/** A parameter whose shard is elsewhere, in one flat buffer of all shards. */
export function zeroParameter(
  tape: Tape,
  { elementBytes, name, requiresGradient, shape }: Parameter,
  world: number,
  persistenceElements: number,
): ZeroParameter {
  const count = elements(shape);
  return {
    whole: tape.createEmptyParameter(name, shape, elementBytes, requiresGradient),
    elements: count,
    shardElements: Math.ceil(count / world),
    persists: count <= persistenceElements,
    status: 'partitioned',
    pending: null,
  };
}

/** What gathering depends on. */
interface GatherRules {
  readonly world: number;
  /** Shards come from the machine's memory. */
  readonly shardsOnHost: boolean;
  /** Gathering has a stream of its own. */
  readonly overlaps: boolean;
}

/**
 * Several parameters are gathered into one buffer and copied out of it when the first of them is waited for; one alone is gathered in
 * place, as are those that stay. One process alone gathers nothing.
 * https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/runtime/zero/partition_parameters.py
 */
export class ParameterGatherer {
  private readonly inFlight = new Set<ZeroParameter>();
  private readonly place: number;

  constructor(
    private readonly tape: Tape,
    private readonly rules: GatherRules,
  ) {
    this.place = tape.log.place(gatherPlace(''));
  }

  /** Starts to gather; all of them are partitioned. */
  start(parameters: readonly ZeroParameter[]): void {
    const [first] = parameters;
    if (first === undefined) return;
    this.onStream(() => {
      const pending: Gathered = {
        flat:
          this.rules.world === 1
            ? this.takeWhole(parameters)
            : parameters.length > 1
              ? this.gatherTogether(parameters)
              : this.gatherAlone(first),
        parameters,
        awaited: new Set(parameters),
        isCopied: false,
      };
      for (const parameter of parameters) {
        parameter.status = 'in-flight';
        parameter.pending = pending;
        this.inFlight.add(parameter);
      }
    });
  }

  /** The parameter's module is about to run. */
  wait(parameter: ZeroParameter): void {
    const { pending } = parameter;
    if (pending === null) return;
    this.onStream(() => {
      if (!pending.isCopied) this.copyOut(pending);
    });
    parameter.pending = null;
    this.inFlight.delete(parameter);
    pending.awaited.delete(parameter);
    if (pending.awaited.size === 0 && pending.flat !== null) release(pending.flat);
  }

  /** What was gathered ahead and not used. */
  waitForAll(): readonly ZeroParameter[] {
    const waiting = [...this.inFlight];
    for (const parameter of waiting) this.wait(parameter);
    return waiting;
  }

  /** Gives a whole parameter's memory back. */
  free(parameter: ZeroParameter): void {
    this.tape.empty(parameter.whole);
    parameter.status = 'partitioned';
  }

  /** After a step: each into a buffer of its own, at once (`_allgather_params_coalesced`). */
  gatherNow(parameters: readonly ZeroParameter[]): void {
    if (this.rules.world === 1) this.takeWhole(parameters);
    else for (const parameter of parameters) this.refillPadded(parameter);
    for (const parameter of parameters) parameter.status = 'available';
  }

  /** One process alone has whole parameters: they are used where they lie, or copied one by one from the machine's memory. */
  private takeWhole(parameters: readonly ZeroParameter[]): null {
    if (this.rules.shardsOnHost) for (const parameter of parameters) this.refillPadded(parameter);
    return null;
  }

  private gatherTogether(parameters: readonly ZeroParameter[]): Tensor {
    const count = parameters.reduce((sum, { shardElements }) => sum + shardElements, 0);
    const bytes = parameters[0]?.whole.elementBytes ?? 1;
    const flat = this.tape.createOwned([count * this.rules.world], bytes, 'buffers');
    this.fetchShards(parameters);
    return flat;
  }

  private gatherAlone(parameter: ZeroParameter): null {
    this.refillPadded(parameter);
    this.fetchShards([parameter]);
    return null;
  }

  private copyOut(pending: Gathered): void {
    pending.isCopied = true;
    for (const parameter of pending.parameters) {
      const { elements: count, whole } = parameter;
      if (pending.flat !== null) this.tape.refill(whole, count * whole.elementBytes, 'parameters');
      parameter.status = 'available';
    }
  }

  private refillPadded({ shardElements, whole }: ZeroParameter): void {
    this.tape.refill(whole, shardElements * this.rules.world * whole.elementBytes, 'parameters');
  }

  /** Copies of shards from the machine's memory live until the exchange has begun. */
  private fetchShards(parameters: readonly ZeroParameter[]): void {
    if (!this.rules.shardsOnHost) return;
    const copies = parameters.map(({ shardElements, whole }) =>
      this.tape.createOwned([shardElements], whole.elementBytes, 'buffers'),
    );
    for (const copy of copies) release(copy);
  }

  private onStream(body: () => void): void {
    const { place, tape } = this;
    tape.at(place, () => {
      if (this.rules.overlaps) tape.onStream(gatherStream, body);
      else body();
    });
  }
}
