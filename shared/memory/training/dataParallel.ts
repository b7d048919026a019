/** torch.nn.DataParallel: one process, a replica of the model on every card, made anew for each forward. */
import type { BuiltModel, Module } from '../tape/module';
import { replicasPlace, sumsPlace } from '../tape/places';
import { release, type Tape } from '../tape/tape';
import { Parameter, type Tensor } from '../tape/tensor';
import type { Distribution } from './distribution';
import { bucketsOf } from './ddp';
import { MiB } from '../../units';

/** `buffer_size` of `broadcast_coalesced` and `reduce_add_coalesced`. */
const coalescedBytes = 10 * MiB;

/** Which card is played, and what its blocks do. */
export interface DataParallelSettings {
  /** Card 0, which has the model, its gradients and the optimizer; the other cards have nothing between steps. */
  readonly isFirst: boolean;
  /** Recomputation uses the replicas again, so they live until backward has ended. */
  readonly recomputesBlocks: boolean;
}

/** A parameter of a module and the one it was built with. */
interface Place {
  readonly module: Module;
  readonly name: string;
  readonly original: Parameter;
}

/**
 * Weights go out in joined pieces of about 10 MiB, of which the replicas' weights are views; they live as long as the graph needs them.
 * All gradients of all replicas come to one node, which sums them piece by piece into new memory on card 0, and only then do the
 * replicas' own gradients go.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/nn/parallel/replicate.py
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/nn/parallel/comm.py
 */
export class DataParallelTraining implements Distribution {
  readonly optimizerOnCard: boolean;
  private readonly places: readonly Place[];
  private readonly originals: readonly Parameter[];
  private replicas: Tensor[] = [];

  constructor(
    private readonly tape: Tape,
    private readonly model: BuiltModel,
    readonly trained: readonly Parameter[],
    private readonly settings: DataParallelSettings,
  ) {
    this.optimizerOnCard = settings.isFirst;
    this.places = placesOf(model.root);
    this.originals = [...new Set(this.places.map(({ original }) => original))];
  }

  forward(body: () => Tensor): Tensor {
    this.tape.at(this.tape.log.place(replicasPlace), () => this.replicate());
    const loss = body();
    if (!this.settings.recomputesBlocks) this.dropReplicas();
    return loss;
  }

  finishBackward(): void {
    this.dropReplicas();
  }

  /** Gives the modules this card's replica of each weight. */
  private replicate(): void {
    const { originals, settings, tape } = this;
    const node = tape.record(settings.isFirst ? originals : [this.anchor()], [], (_gradient, _saved, all) =>
      tape.at(tape.log.place(sumsPlace), () => this.reduce(all)),
    );
    const copies = new Map<Parameter, Tensor>();
    for (const group of bucketsOf(originals, [coalescedBytes])) {
      const bytes = group.reduce((sum, tensor) => sum + tensor.bytes, 0);
      if (settings.isFirst) {
        if (group.length > 1) this.join(bytes);
        for (const original of group) copies.set(original, tape.alias(original));
      } else {
        const joined = tape.createOwned([bytes], 1, 'parameters');
        for (const original of group) copies.set(original, viewOf(tape, joined, original));
        release(joined);
      }
    }
    for (const buffers of bucketsOf(this.model.buffers, [coalescedBytes]))
      if (settings.isFirst && buffers.length > 1)
        this.join(buffers.reduce((sum, { bytes }) => sum + bytes, 0));
    originals.forEach((original, slot) => {
      const copy = copies.get(original);
      if (copy === undefined) return;
      if (node !== null) tape.attach(copy, node, slot);
      this.replicas.push(copy);
    });
    for (const { module, name, original } of this.places) {
      const copy = copies.get(original);
      if (copy !== undefined) module.parameters.set(name, copy);
    }
  }

  /** Joins tensors to be sent; what was sent is not needed any more. */
  private join(bytes: number): void {
    const { tape } = this;
    tape.frame([], () => tape.as('buffers', () => tape.scratch(bytes)));
  }

  /** What makes the replicas' graph on a card that has no parameters to hand gradients to. */
  private anchor(): Tensor {
    return this.tape.createEmptyParameter('replicas', [1], 1, true);
  }

  /** Sums of all cards' gradients, as views of the pieces that they were summed in; none but on card 0. */
  private reduce(gradients: readonly (Tensor | null)[]): (Tensor | null)[] {
    const { originals, settings, tape } = this;
    const given = originals.flatMap((_, slot) => {
      const gradient = gradients[slot];
      return gradient === null || gradient === undefined ? [] : [{ slot, gradient, bytes: gradient.bytes }];
    });
    const sums = new Map<number, Tensor>();
    let joined: Tensor | null = null;
    for (const piece of piecesOf(given)) {
      const bytes = piece.reduce((sum, one) => sum + one.bytes, 0);
      const next = piece.length > 1 ? tape.as('buffers', () => tape.create([bytes], 1)) : null;
      if (joined !== null) release(joined);
      joined = next;
      if (!settings.isFirst) continue;
      const elementBytes = piece[0]?.gradient.elementBytes ?? 1;
      const total = tape.as('gradients', () => tape.create([bytes / elementBytes], elementBytes));
      for (const { gradient, slot } of piece) {
        const sum = tape.share(total, gradient.shape);
        sum.isView = true;
        sums.set(slot, sum);
      }
    }
    if (joined !== null) release(joined);
    return settings.isFirst ? originals.map((_, slot) => sums.get(slot) ?? null) : [null];
  }

  private dropReplicas(): void {
    for (const replica of this.replicas.splice(0)) release(replica);
  }
}

/** A part of a joined piece in the shape of `like`. */
function viewOf(tape: Tape, joined: Tensor, like: Tensor): Tensor {
  const view = tape.reinterpret(joined, like.shape, like.elementBytes);
  view.isView = true;
  return view;
}

function placesOf(module: Module): Place[] {
  const own = [...module.parameters].flatMap(([name, original]) =>
    original instanceof Parameter ? [{ module, name, original }] : [],
  );
  return [...own, ...module.children.flatMap(placesOf)];
}

/** Pieces that end before they would grow beyond the limit (`_take_tensors`). */
function piecesOf<T extends { readonly bytes: number }>(items: readonly T[]): T[][] {
  const pieces: T[][] = [];
  let size = Infinity;
  for (const item of items) {
    if (size + item.bytes > coalescedBytes) {
      pieces.push([]);
      size = 0;
    }
    pieces.at(-1)?.push(item);
    size += item.bytes;
  }
  return pieces;
}
