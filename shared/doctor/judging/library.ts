import { isDriverWord, isStory, matchesFormat } from './context';
import type { Context } from '../failures/readFailure';

export function withoutNumbers(context: Context): boolean {
  return (
    isStory(context, 'gpu-oom') &&
    context.failure.quantities.capacity === null &&
    (isDriverWord(context) || matchesFormat(context, 'head-only', 'P0-THCudaCheck'))
  );
}

/** The library whose status stands in the message. */
export function libraryName({ failure: { excerpt } }: Context): string {
  const found = libraries.find(([sign]) => sign.test(excerpt));
  return found?.[1] ?? 'cuBLAS';
}

const libraries: readonly (readonly [RegExp, string])[] = [
  [/CUFFT/i, 'cuFFT'],
  [/HIPFFT/i, 'hipFFT'],
  [/CUSPARSE/i, 'cuSPARSE'],
  [/HIPSPARSE/i, 'hipSPARSE'],
  [/(?:CU|GPU)SOLVER/i, 'cuSOLVER'],
  [/HIPBLAS|rocblas/i, 'hipBLAS'],
  [/CURAND/i, 'cuRAND'],
  [/CUTENSOR/i, 'cuTENSOR'],
];

export function namesCublas(context: Context): boolean {
  return (
    matchesFormat(context, 'cuBLAS-masked') ||
    (fromTensorFlow(context) && /cublas|curand|cusolver/i.test(context.failure.excerpt))
  );
}

export function namesCudnn(context: Context): boolean {
  return (
    matchesFormat(context, 'cuDNN-masked', 'XLA-DNN-library') ||
    (fromTensorFlow(context) && /cudnn|No algorithm worked/i.test(context.failure.excerpt))
  );
}

/** After a broken kernel every call fails, that which makes a handle, too. */
export function kernelBroke({ failure, log }: Context): boolean {
  return log.some((other) => other.format === 'CUDA-broken-kernel' && other.line < failure.line);
}

export function fromTensorFlow(context: Context): boolean {
  return matchesFormat(context, 'TF-driver', 'TF-cuDNN');
}
