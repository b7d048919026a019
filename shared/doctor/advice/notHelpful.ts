import { message, type Message } from '../../i18n/message';
import type { Cause } from '../causes';
import type { Context } from '../failures/readFailure';
import { isStory, isTorchAllocator, madeBy, matchesFormat, printedBy } from '../judging/context';
import type { FoundCause } from '../judging/judge';

/**
 * Advice that people give for such messages and that does nothing here: what holds for one cause stands in its file
 * (`useless`), what holds for a message whatever its cause stands here.
 */
interface Advice {
  readonly text: (context: Context) => Message;
  readonly uselessFor: (context: Context, first: Cause, found: readonly FoundCause[]) => boolean;
}

/** Settings of the allocator do change these. */
const allocatorHelps: ReadonlySet<Cause> = new Set<Cause>(['fragmentation', 'long_sample_spike']);
/** Where somebody else than the caching allocator asks the driver, its unused reserve is what is missing. */
const unusedReserveIsInTheWay: ReadonlySet<Cause> = new Set<Cause>([
  'fragmentation',
  'driver_level_oom',
  'masked_cublas',
  'masked_cudnn',
  'nccl_buffers_oom',
]);
const hugeRequest: ReadonlySet<Cause> = new Set<Cause>(['single_huge_tensor', 'attention_math_fallback']);

const advice: readonly Advice[] = [
  {
    text: (context) =>
      message('doctorAdvice.killSelf', { pid: String(context.failure.quantities.ownListed?.pid ?? '?') }),
    uselessFor: (context) => context.failure.quantities.ownListed !== null,
  },
  {
    text: () => message('doctorAdvice.allocatorSettings'),
    uselessFor: (context, first, found) =>
      isTorchAllocator(context) &&
      !found.some(({ cause }) => allocatorHelps.has(cause)) &&
      !hugeRequest.has(first),
  },
  {
    text: () => message('doctorAdvice.allocatorSettingsHuge'),
    uselessFor: (context, first) => isTorchAllocator(context) && hugeRequest.has(first),
  },
  {
    text: () => message('doctorAdvice.emptyCache'),
    uselessFor: (context, first) =>
      isStory(context, 'gpu-oom') &&
      context.failure.signs.has('emptyCacheWords') &&
      !unusedReserveIsInTheWay.has(first),
  },
  {
    text: () => message('doctorAdvice.fewerEpochs'),
    uselessFor: (context) => isStory(context, 'gpu-oom') && context.failure.signs.has('fewerEpochsWords'),
  },
  {
    text: () => message('doctorAdvice.preallocate'),
    uselessFor: (context) => printedBy(context, 'jax', 'tensorflow') && isStory(context, 'gpu-oom'),
  },
  {
    text: () => message('doctorAdvice.watermark'),
    uselessFor: (context) => madeBy(context, 'apple') && matchesFormat(context, 'MPS', 'MPS-GiB'),
  },
];

/** What does not help here; empty where no cause could be named. */
export function notHelpfulFor(context: Context, found: readonly FoundCause[]): Message[] {
  const [first] = found;
  if (first === undefined) return [];
  return [
    ...advice
      .filter((item) => item.uselessFor(context, first.cause, found))
      .map((item) => item.text(context)),
    ...first.definition.useless,
  ];
}
