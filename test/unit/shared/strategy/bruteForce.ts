/**
 * An independent answer to "which plan is best": every combination is judged by the engine and timed by a formula written here
 * from the published rule (research on estimators, 4b), without the code that ranks.
 */
import type { EstimateRequest, Offload, Strategy } from '../../../../shared/memory/configuration';
import { estimate } from '../../../../shared/memory/estimate';
import { parameterCount } from '../../../../shared/model/inventory';
import type { PlanQuestion } from '../../../../shared/strategy/types';
import { MiB } from '../../../../shared/units';

export interface Option {
  readonly request: EstimateRequest;
  readonly fits: boolean;
  readonly seconds: number;
}

const spreads: readonly (readonly [Strategy, Offload])[] = [
  ['single', 'none'],
  ['dp', 'none'],
  ['ddp', 'none'],
  ['ddp-bucket-view', 'none'],
  ['fsdp-full', 'none'],
  ['fsdp-grad-op', 'none'],
  ['fsdp-full', 'all'],
  ['zero1', 'none'],
  ['zero2', 'none'],
  ['zero3', 'none'],
  ['zero1', 'optimizer'],
  ['zero2', 'optimizer'],
  ['zero3', 'optimizer'],
  ['zero3', 'all'],
];

/** All ways to run a full fine-tuning under bf16 autocast on the cards, one of them or all. */
export function options(question: PlanQuestion, batch: number): readonly Option[] {
  const found: Option[] = [];
  for (const [strategy, offload] of spreads)
    for (const checkpointing of ['none', 'full'] as const)
      for (let microBatch = 1; microBatch <= batch; microBatch++) {
        const isAlone = strategy === 'single' || (question.cards.length === 1 && offload === 'all');
        const world = isAlone ? 1 : question.cards.length;
        if ((world === 1 && !isAlone) || batch % (microBatch * world) !== 0) continue;
        const sizes = question.cards.map(({ freeBytes }) => freeBytes / MiB).sort((a, b) => b - a);
        const request: EstimateRequest = {
          ...question.request,
          strategy,
          world,
          offload,
          expandableSegments: true,
          cardMib: sizes.slice(0, world),
          training: {
            ...question.request.training,
            microBatch,
            accumulation: batch / (microBatch * world),
            checkpointing: { kind: checkpointing },
          },
        };
        const answer = estimate(question.architecture, request, false);
        const fits =
          answer.kind === 'estimate' && answer.estimate.cards.every(({ verdict }) => verdict === 'fits');
        found.push({ request, fits, seconds: secondsOf(question, request) });
      }
  return found;
}

/** RTX 3090 over PCI Express 4 without peer access: 71 Top/s of which 45 % are reached, 936 GB/s, 12.6 GB/s, host 80 GB/s. */
export function secondsOf(
  { architecture }: PlanQuestion,
  { offload, strategy, training, world }: EstimateRequest,
): number {
  const parameters = parameterCount(architecture);
  const { accumulation, microBatch, sequence } = training;
  const isRecomputed = training.checkpointing.kind === 'full';
  const layers = architecture.stacks[0]?.layers.length ?? 0;
  const compute = (6 * parameters * microBatch * sequence * (isRecomputed ? 4 / 3 : 1)) / (71e12 * 0.45);
  const hooks = strategy.startsWith('fsdp') || strategy === 'zero3' ? layers * 1e-3 : 0;
  const micro = Math.max(compute, layers * 1e-3 * (isRecomputed ? 4 / 3 : 1)) + hooks;
  const link = (bytes: number): number => (bytes * parameters * (world - 1)) / world / 12.6e9;
  const [eachMicro, once] = traffic(strategy, link, world);
  const overlapped = Math.max(micro, eachMicro) + 0.1 * Math.min(micro, eachMicro);
  const shares = strategy.startsWith('fsdp') || strategy.startsWith('zero') ? world : 1;
  const optimizer =
    offload === 'none'
      ? (28 * parameters) / shares / 750e9
      : (28 * parameters) / 80e9 + ((offload === 'all' ? accumulation : 1) * 12 * parameters) / world / 25e9;
  return (accumulation * overlapped + once(micro) + optimizer) / (accumulation * microBatch * world);
}

type Traffic = readonly [eachMicro: number, once: (micro: number) => number];

function traffic(strategy: Strategy, link: (bytes: number) => number, world: number): Traffic {
  const hidden = (seconds: number) => (micro: number) => Math.max(0.1 * seconds, seconds - (2 / 3) * micro);
  switch (strategy) {
    case 'ddp':
    case 'ddp-bucket-view':
      return [0, hidden(2 * link(4))];
    case 'dp':
      return [0, (micro) => hidden(link(4))(micro) + world * link(2)];
    case 'fsdp-full':
      return [link(2 + 2 + 4), () => 0];
    case 'fsdp-grad-op':
      return [link(2 + 4), () => 0];
    case 'zero1':
      return [0, (micro) => hidden(link(2))(micro) + link(2)];
    case 'zero2':
      return [link(2), () => link(2)];
    case 'zero3':
      return [link(2 + 2 + 2), () => 0];
    default:
      return [0, () => 0];
  }
}
