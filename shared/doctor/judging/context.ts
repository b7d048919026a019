import { GiB, MiB } from '../../units';
import type { ReadFailure, Context } from '../failures/readFailure';
import type { Sign } from '../failures/signs/signs';
import type { Format } from '../format';
import { factsOfFormat } from '../grammars';
import type { Story } from '../types';
import type { Vendor } from '../words/vendors';

export function has(context: Context, ...signs: readonly Sign[]): boolean {
  return signs.some((sign) => context.failure.signs.has(sign));
}

export function matchesFormat(context: Context, ...formats: readonly Format[]): boolean {
  return context.failure.formats.some((format) => formats.includes(format));
}

/** Whether one of these frameworks printed it. */
export function printedBy(context: Context, ...frameworks: readonly string[]): boolean {
  return context.failure.formats.some((format) =>
    frameworks.includes(factsOfFormat(format)?.framework ?? ''),
  );
}

/** Whether the card is of one of these makers, by the message's wording or by what stands around it. */
export function madeBy({ failure: { environment } }: Context, ...vendors: readonly Vendor[]): boolean {
  return environment.vendor !== null && vendors.includes(environment.vendor);
}

/** Whether PyTorch's caching allocator printed it, which has settings and prints what it holds. */
export function isTorchAllocator(context: Context): boolean {
  return (
    isStory(context, 'gpu-oom') &&
    printedBy(context, 'pytorch') &&
    !isDriverWord(context) &&
    !matchesFormat(context, 'MPS', 'MPS-GiB', 'MPS-buffer', 'pin-memory-thread', 'P0-THCudaCheck')
  );
}

/** Whether PyTorch of a release before this one (`major.minor`) printed it; false where the wording does not tell. */
export function isTorchBefore(context: Context, release: string): boolean {
  return torchReleases(context).some((since) => compareReleases(since, release) < 0);
}

export function isTorchFrom(context: Context, release: string): boolean {
  return torchReleases(context).some((since) => compareReleases(since, release) >= 0);
}

function torchReleases({ failure }: Context): readonly string[] {
  const facts = failure.formats.map(factsOfFormat);
  return facts.flatMap((known) => (known?.framework === 'pytorch' ? (known.since ?? []) : []));
}

function compareReleases(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number);
  const [majorB = 0, minorB = 0] = b.split('.').map(Number);
  return majorA - majorB || minorA - minorB;
}

/** The driver or the runtime says so itself, without sizes. */
export function isDriverWord(context: Context): boolean {
  return matchesFormat(
    context,
    'CUDA-error-nonumbers',
    'CUDA-error-nonumbers-HIP',
    'CUDA-error-name',
    'CUDA-error-vllm-pool',
  );
}

export function isStory(context: Context, story: Story): boolean {
  return context.failure.story === story;
}

export function numberDetail(failure: ReadFailure, name: string): number | null {
  const value = failure.details[name];
  return typeof value === 'number' ? value : null;
}

/** Two decimals at GiB scale hide up to 5 MiB in each number; sums of a few numbers some more. */
export const roundingBytes = 24 * MiB;

/** The floors below which a difference means nothing, from research/oom.md, section 2. */
export const floors = {
  unallocatedBytes: 256 * MiB,
  unallocatedShare: 0.03,
  freeBytes: 512 * MiB,
  freeShare: 0.03,
  outsideBytes: 1.5 * GiB,
  outsideShare: 0.12,
} as const;
