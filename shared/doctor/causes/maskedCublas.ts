import { message } from '../../i18n/message';
import { findHolder, roomForLibrary } from '../advice/steps';
import { matchesFormat } from '../judging/context';
import { kernelBroke, libraryName, namesCublas } from '../judging/library';
import type { CauseDefinition } from './definition';

export const maskedCublas = {
  name: 'masked_cublas',
  kind: 'oom',
  examples: {
    first: ['RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`'],
    other: ['out of memory'],
  },
  rules: [
    {
      when: (context) => namesCublas(context) && !kernelBroke(context),
      confidence: 0.86,
      evidence: (context) => [message('doctorEvidence.libraryHandle', { library: libraryName(context) })],
    },
    {
      // It also ends there after a broken kernel or with the wrong library; a card that is full is the commonest reason.
      when: (context) => matchesFormat(context, 'TF-BLAS-launch') && !kernelBroke(context),
      confidence: 0.55,
      evidence: (context) => [message('doctorEvidence.libraryHandle', { library: libraryName(context) })],
    },
  ],
  fixes: (context) => [roomForLibrary(context), findHolder(context)],
  useless: [],
} as const satisfies CauseDefinition;
