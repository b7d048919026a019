/** Builds a model on the tape and plays its training steps. */
import type { Architecture } from '../../model/architecture';
import { parameterTensors } from '../../model/inventory';
import { isZero, type TrainingSettings } from '../configuration';
import type { FamilyForward, StageForward } from '../../families/forward';
import { backward } from '../tape/backward';
import { type BuiltModel, buildModel } from '../tape/module';
import { SegmentedCheckpoint } from '../tape/segments';
import { modelBuilt, endOf, batchLoaded } from '../tape/marks';
import { hold, type Tape } from '../tape/tape';
import { FP32, type Shape, type Tensor } from '../tape/tensor';
import { installAdapters } from './adapters';
import { makeBatch, pixelBytesOf } from './batch';
import { clipGradientNorm } from './clipping';
import { distribute } from './distribute';
import { aloneSpread, type Distribution, type Spread } from './distribution';
import { createOptimizer, type Optimizer } from './optimizers';
import { adaptersOf, type ModelPart, shardModules } from './part';
import { makeStageBatch, StageRun, stageSettings } from './pipeline/stageRun';
import { typesOf } from './types';
import { quantizationOf } from './quantization';
import { GradientScaler } from './scaler';

/**
 * Micro-batches that are played of a step at most. From the third on none changes what is allocated or reserved, as gradients are there
 * to be added to and the cache has the blocks; with so many the course of a usual step is shown as it is.
 */
const mostAccumulated = 16;

/** One training process on one card: the model, its batch, its optimizer. */
export class TrainingRun {
  private readonly model: BuiltModel;
  private readonly distribution: Distribution;
  private readonly optimizer: Optimizer;
  private readonly scaler: GradientScaler | null;
  private readonly stage: StageRun | null;
  private steps = 0;

  /** Builds model, adapters and batch; marks both. */
  constructor(
    private readonly tape: Tape,
    private readonly part: ModelPart,
    private readonly family: FamilyForward,
    private readonly settings: TrainingSettings,
    private readonly spread: Spread = aloneSpread,
  ) {
    const { method, precision } = settings;
    const { architecture, elsewhere } = part;
    const { builtBytes: bytes } = typesOf(precision, spread);
    tape.halfType = precision === 'amp-fp16' ? 'fp16' : 'bf16';
    tape.recomputesAttention = settings.checkpointing.kind === 'selective';
    // Importing transformers' audio utilities makes one element on the default device.
    tape.createOwned([1], bytes, 'buffers');
    const full = method.kind === 'full';
    this.model = buildModel(tape, architecture.modules, {
      parameterBytes: bytes,
      trained: full,
      quantization: quantizationOf(architecture, method, precision),
      elsewhere,
    });
    shardModules(this.model.root, part);
    const trained =
      method.kind === 'full'
        ? this.model.parameters
        : installAdapters(tape, this.model.root, adaptersOf(part, method.adapters), {
            dropout: method.adapters.dropout,
            isScaled: method.adapters.alpha !== method.adapters.rank,
            // DeepSpeed casts the whole model, adapters included, to its 16-bit type.
            elementBytes: method.adapters.adapterType === 'fp32' && !isZero(spread.strategy) ? FP32 : bytes,
          });
    this.distribution = distribute(tape, this.model, trained, spread, settings);
    tape.log.mark(modelBuilt);
    if (spread.pipeline === null) makeBatch(tape, architecture, batchSettings(settings, spread), bytes);
    else makeStageBatch(tape, architecture, settings, spread.pipeline);
    tape.log.mark(batchLoaded);
    this.stage =
      spread.pipeline === null
        ? null
        : new StageRun(tape, this.model, stageSettings(architecture, settings, spread.pipeline, bytes));
    const matrices = blockMatrices(architecture);
    this.optimizer = createOptimizer(tape, settings.optimizer, {
      parameters: this.distribution.optimizerOnCard ? this.distribution.trained : [],
      matrixOf: ({ name }) => matrices.get(name) ?? null,
    });
    // DeepSpeed scales with numbers of its own, which are not on the card.
    this.scaler = precision === 'amp-fp16' && !isZero(spread.strategy) ? new GradientScaler(tape) : null;
  }

  /** Plays one optimizer step with all its micro-batches; each phase is marked at its end. */
  step(): void {
    const { log } = this.tape;
    const number = ++this.steps;
    if (this.stage !== null) this.playStage(this.stage, number);
    else {
      const played = Math.min(this.settings.accumulation, mostAccumulated);
      for (let microBatch = 1; microBatch <= played; microBatch++)
        this.microBatch(number, microBatch === played);
    }
    const { update } = this.distribution;
    if (update === undefined) this.update(number);
    else {
      // Norms are part of the update, whether gradients are clipped or not.
      if (this.settings.clipGradients) log.mark(endOf('clip', number));
      update.call(this.distribution, () => this.optimizer.step());
    }
    log.mark(endOf('optimizer', number));
    for (const parameter of this.distribution.trained) {
      if (parameter.gradient !== null) this.tape.release(parameter.gradient);
      parameter.gradient = null;
    }
    log.mark(endOf('zero_grad', number));
  }

  private update(number: number): void {
    if (this.settings.clipGradients) {
      this.scaler?.unscale();
      clipGradientNorm(this.tape, this.distribution.trained);
      this.tape.log.mark(endOf('clip', number));
    }
    if (this.scaler === null) this.optimizer.step();
    else this.scaler.step(() => this.optimizer.step());
  }

  private microBatch(number: number, isLast: boolean): void {
    const { distribution, tape } = this;
    tape.thread = 0;
    tape.frame([], () => {
      const loss = hold(distribution.forward(() => this.forward(), isLast));
      tape.log.mark(endOf('forward', number));
      const scaled = this.scaler === null ? loss : hold(this.scaler.scale(loss));
      tape.thread = 1;
      backward(tape, scaled, () => distribution.finishBackward());
      tape.thread = 0;
    });
    tape.log.mark(endOf('backward', number));
  }

  private playStage(stage: StageRun, number: number): void {
    const { log } = this.tape;
    stage.step({
      forward: (flow) => this.forward(flow),
      afterForward: () => {
        log.mark(endOf('forward', number));
      },
      rootOf: (loss) => (this.scaler === null ? loss : hold(this.scaler.scale(loss))),
      afterBackward: () => {
        log.mark(endOf('backward', number));
      },
    });
  }

  private forward(stage: StageForward | null = null): Tensor {
    const { settings, tape } = this;
    const { architecture } = this.part;
    const { attention, checkpointing, method, microBatch, precision, sequence } = settings;
    const { autocast, builtBytes, computeBytes } = typesOf(precision, this.spread);
    return tape.underAutocast(autocast, () =>
      this.family({
        tape,
        architecture,
        root: this.model.root,
        batch: microBatch,
        sequence,
        attention,
        checkpointing,
        segments:
          checkpointing.kind === 'segments'
            ? new SegmentedCheckpoint(
                tape,
                checkpointing.count,
                architecture.stacks.map(({ layers }) => layers.length),
              )
            : null,
        modelBytes: computeBytes,
        bufferBytes: builtBytes,
        pixelBytes: pixelBytesOf(settings, builtBytes),
        stage,
        frozenBase: method.kind !== 'full',
      }),
    );
  }
}

/** DataParallel's first card has the samples of all cards. */
function batchSettings(settings: TrainingSettings, { rank, strategy, world }: Spread): TrainingSettings {
  return strategy === 'dp' && rank === 0
    ? { ...settings, microBatch: settings.microBatch * world }
    : settings;
}

/** Shapes of the matrices inside of blocks, by their names. */
function blockMatrices(architecture: Architecture): ReadonlyMap<string, Shape> {
  return new Map(
    parameterTensors(architecture).flatMap(({ blockPath, name, shape }) =>
      blockPath !== null && shape.length === 2 ? [[name, shape]] : [],
    ),
  );
}
