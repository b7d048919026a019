/** The strategy of a run. */
import { gradientSyncOf, isMixed, type TrainingSettings } from '../configuration';
import type { BuiltModel } from '../tape/module';
import type { Tape } from '../tape/tape';
import { FP32, HALF, type Parameter } from '../tape/tensor';
import { DataParallelTraining } from './dataParallel';
import { DistributedDataParallel } from './ddp';
import { alone, type Distribution, type Spread } from './distribution';
import { FullyShardedTraining } from './sharding/fullyShard';
import { writtenZeroConfig } from './zero/config';
import { ZeroTraining } from './zero/flatPartition';
import { ZeroThreeTraining } from './zero/partitioned';

/** Wraps a built model. */
export function distribute(
  tape: Tape,
  model: BuiltModel,
  trained: readonly Parameter[],
  { strategy, world, offload, rank, zero = writtenZeroConfig }: Spread,
  settings: TrainingSettings,
): Distribution {
  const exchangesLast = gradientSyncOf(strategy, settings) === 'last';
  switch (strategy) {
    // A card that has a part of the model plays the step of that part.
    case 'single':
    case 'tensor':
    case 'pipeline':
      return alone(trained);
    case 'dp':
      return new DataParallelTraining(tape, model, trained, {
        isFirst: rank === 0,
        recomputesBlocks: ['full', 'segments'].includes(settings.checkpointing.kind),
      });
    case 'ddp':
    case 'ddp-bucket-view':
      return new DistributedDataParallel(tape, model, trained, {
        world,
        bucketViews: strategy === 'ddp-bucket-view',
        exchangesLast,
      });
    case 'fsdp-full':
    case 'fsdp-grad-op':
      return new FullyShardedTraining(tape, model, trained, {
        world,
        cut: 'rows',
        freesAfterForward: strategy === 'fsdp-full',
        onHost: offload !== 'none',
        mixedPrecision: isMixed(settings.precision)
          ? { computeBytes: HALF, reduceBytes: settings.reduceType === 'fp32' ? FP32 : HALF }
          : null,
        reducesLast: exchangesLast,
      });
    case 'zero1':
    case 'zero2':
      return new ZeroTraining(tape, trained, strategy === 'zero1' ? 1 : 2, {
        world,
        rank,
        optimizerOnHost: offload !== 'none',
        config: zero,
      });
    case 'zero3':
      return new ZeroThreeTraining(tape, model, trained, {
        world,
        rank,
        optimizerOnHost: offload !== 'none',
        parametersOnHost: offload === 'all' || offload === 'nvme',
        config: zero,
      });
  }
}
