/** A stage of a pipeline: its batch, and what it receives, plays and sends in a step. */
import type { Architecture, Stack } from '../../../model/architecture';
import { isImageModel } from '../../check';
import type { TrainingSettings } from '../../configuration';
import { patchesOf } from '../../inputLengths';
import { backward } from '../../tape/backward';
import type { BuiltModel } from '../../tape/module';
import { receivedPlace } from '../../tape/places';
import { release, type Tape } from '../../tape/tape';
import { INT64, type Shape, Tensor } from '../../tape/tensor';
import { makeImages, pixelBytesOf } from '../batch';
import type { PipelinePlace } from '../distribution';
import { weightBytes } from '../types';
import { stageActions } from './schedule';
import { endBefore, outputOf, receiveInPlaceOfInputs, StageFlow, throughOtherCards } from './stageFlow';

/** What a stage is told of the training around it. */
export interface StageSettings {
  readonly place: PipelinePlace;
  /** Blocks of the stage. */
  readonly blocks: number;
  /** Micro-batches of a step. */
  readonly microBatches: number;
  /** What travels between stages. */
  readonly hiddenShape: Shape;
  readonly hiddenBytes: number;
}

/** `hiddenBytes`: element size of hidden states, which is that of the weights as built. */
export function stageSettings(
  architecture: Architecture,
  { accumulation, microBatch, sequence }: TrainingSettings,
  place: PipelinePlace,
  hiddenBytes: number,
): StageSettings {
  const [stack] = architecture.stacks;
  if (stack === undefined) throw new Error('A stage has layers.');
  return {
    place,
    blocks: stack.layers.length,
    microBatches: accumulation,
    hiddenShape: [microBatch, positionsOf(stack, sequence), stack.hiddenSize],
    hiddenBytes,
  };
}

function positionsOf({ inputs }: Stack, sequence: number): number {
  return inputs.kind === 'patches' ? patchesOf(inputs) + inputs.extraTokens : sequence;
}

/**
 * The first stage has the samples, the last one the labels: of a whole step where each stage has a process, of a micro-batch where one
 * process reads them one by one.
 */
export function makeStageBatch(
  tape: Tape,
  architecture: Architecture,
  settings: TrainingSettings,
  { headOnFirst, oneProcess, stage: { count, index } }: PipelinePlace,
): void {
  const { accumulation, microBatch, sequence } = settings;
  const samples = oneProcess ? microBatch : microBatch * accumulation;
  const seesImages = isImageModel(architecture);
  if (index === 0) {
    if (seesImages)
      makeImages(tape, architecture, samples, pixelBytesOf(settings, weightBytes(settings.precision)));
    else tape.createOwned([samples, sequence], INT64, 'buffers');
  }
  const withLabels = headOnFirst === null ? count - 1 : 0;
  if (index === withLabels) tape.createOwned([samples, seesImages ? 1 : sequence], INT64, 'buffers');
}

/** What a stage's steps need of the run around them. */
export interface StageHooks {
  /** Plays the forward of a micro-batch through the stage. */
  readonly forward: (flow: StageFlow) => Tensor;
  readonly afterForward: () => void;
  /** What backward starts from on the last stage: the loss, scaled where there is a scaler. */
  readonly rootOf: (loss: Tensor) => Tensor;
  readonly afterBackward: () => void;
}

/** A storage without an allocation. */
const noMemory = -1;

interface InFlight {
  readonly output: Tensor;
  readonly received: Tensor | null;
  /** What else lives as long as its graph. */
  readonly retained: readonly Tensor[];
}

/**
 * Plays the micro-batches of a step on one stage. A process of torch.distributed.pipelining receives each micro-batch's activations and
 * each one's gradients into a buffer of its own, made once and kept; it keeps a stage's output until that micro-batch's backward. Layers
 * placed by one process get copies instead, which go with the micro-batch.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/distributed/pipelining/stage.py
 */
export class StageRun {
  private readonly inputs: Tensor[] = [];
  private readonly gradients: Tensor[] = [];
  private readonly waiting: InFlight[] = [];
  private current: Tensor | null = null;
  /** The gradient that was sent last: it stays until the next one is sent. */
  private sent: Tensor | null = null;
  private prepared = false;

  constructor(
    private readonly tape: Tape,
    model: BuiltModel,
    private readonly settings: StageSettings,
  ) {
    tape.keepsOutput = this.isLast && !settings.place.oneProcess;
    const { headOnFirst } = settings.place;
    if (headOnFirst !== null && this.isFirst) model.root.at(headOnFirst).exchange = throughOtherCards;
    if (headOnFirst !== null && this.isEnd) model.root.at(headOnFirst).exchange = endBefore;
    const [hiddenSize = 1] = settings.hiddenShape.slice(-1);
    if (!this.isFirst)
      receiveInPlaceOfInputs(model.root, hiddenSize, () => {
        if (this.current === null) throw new Error('A later stage receives its input.');
        return this.current;
      });
  }

  /** Plays a step. Further micro-batches that do what earlier ones did are left out. */
  step(hooks: StageHooks): void {
    const { microBatches, place } = this.settings;
    this.prepare();
    // One more than may be in flight shows all that a further one does.
    const count = Math.min(microBatches, place.inFlight + 1);
    let forwards = 0;
    let backwards = 0;
    for (const action of stageActions(place.inFlight, count)) {
      if (action === 'forward') this.forward(forwards++, hooks);
      else this.backward(backwards++, hooks);
    }
    this.replaceSent(null);
  }

  private get isFirst(): boolean {
    return this.settings.place.stage.index === 0;
  }

  private get isEnd(): boolean {
    const { count, index } = this.settings.place.stage;
    return index === count - 1;
  }

  /** The stage with the loss. */
  private get isLast(): boolean {
    return this.settings.place.headOnFirst === null ? this.isEnd : this.isFirst;
  }

  /** Buffers for all micro-batches, also for those that are not played. */
  private prepare(): void {
    if (this.prepared || this.settings.place.oneProcess) return;
    this.prepared = true;
    for (let index = 0; index < this.settings.microBatches; index++) {
      if (!this.isFirst) this.inputs.push(this.buffer());
      if (!this.isLast) this.gradients.push(this.buffer());
    }
  }

  private buffer(): Tensor {
    const { hiddenBytes, hiddenShape } = this.settings;
    return this.tape.at(this.tape.log.place(receivedPlace), () =>
      this.tape.createOwned(hiddenShape, hiddenBytes, 'buffers'),
    );
  }

  private forward(index: number, hooks: StageHooks): void {
    const { tape } = this;
    const received = this.receive(index);
    this.current = received;
    tape.thread = 0;
    const flow = new StageFlow(tape, this.settings.blocks, received, this.isLast || this.isEnd);
    tape.frame([], () => {
      const output = outputOf(tape, () => hooks.forward(flow));
      this.waiting.push({
        retained: tape.retained.splice(0),
        output: this.settings.place.oneProcess && !this.isLast ? this.copied(output) : output,
        received,
      });
      return null;
    });
    hooks.afterForward();
  }

  /** What was copied to the next card is not needed on this one: only its place in the graph is. */
  private copied(output: Tensor): Tensor {
    const handle = new Tensor(this.tape, { id: noMemory, references: 1 }, output.shape, output.elementBytes);
    if (output.node !== null) this.tape.attach(handle, output.node, output.slot);
    release(output);
    return handle;
  }

  /** What the stage before has sent, with a node that hands its gradient back. */
  private receive(index: number): Tensor | null {
    const { tape } = this;
    if (this.isFirst) return null;
    const own = this.inputs[index];
    const received = own === undefined ? this.buffer() : tape.alias(own);
    const leaf = tape.createEmptyParameter(receivedPlace, received.shape, received.elementBytes, true);
    leaf.afterGradient = () => {
      this.replaceSent(leaf.gradient);
      leaf.gradient = null;
    };
    if (leaf.node !== null) tape.attach(received, leaf.node, 0);
    return received;
  }

  private backward(index: number, hooks: StageHooks): void {
    const { tape } = this;
    const flight = this.waiting.shift();
    if (flight === undefined) throw new Error('A backward follows its forward.');
    const { output, received, retained } = flight;
    tape.retained.push(...retained);
    tape.thread = 1;
    // Frozen layers that nothing trained comes before leave no graph.
    if (output.node !== null)
      tape.frame([], () => {
        const root = this.isLast ? hooks.rootOf(output) : output;
        backward(tape, root, undefined, this.gradients[index] ?? null);
      });
    tape.thread = 0;
    release(output);
    if (received !== null) release(received);
    hooks.afterBackward();
  }

  private replaceSent(gradient: Tensor | null): void {
    if (this.sent !== null) release(this.sent);
    this.sent = gradient;
  }
}
