import { message } from '../../i18n/message';
import { findHolder, roomForLibrary } from '../advice/steps';
import { kernelBroke, namesCudnn } from '../judging/library';
import type { CauseDefinition } from './definition';

export const maskedCudnn = {
  name: 'masked_cudnn',
  kind: 'oom',
  examples: {
    first: ['RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED'],
    other: [
      '2023-05-25 19:41:34.660542: E tensorflow/compiler/xla/stream_executor/cuda/cuda_blas.cc:193] Failure to initialize cublas may be due to OOM (cublas needs some free memory when you initialize it, and your deep-learning framework may have preallocated more than its fair share), or may be because this binary was not built with support for the GPU in your machine.\n2023-05-25 19:41:34.660782: W tensorflow/core/framework/op_kernel.cc:1828] OP_REQUIRES failed at conv_ops_fused_impl.h:625 : NOT_FOUND: No algorithm worked!  Error messages:\n  Profiling failure on CUDNN engine eng11{}: UNKNOWN: CUDNN_STATUS_ALLOC_FAILED',
    ],
  },
  rules: [
    {
      when: (context) => namesCudnn(context) && !kernelBroke(context),
      confidence: 0.86,
      evidence: () => [message('doctorEvidence.libraryHandle', { library: 'cuDNN' })],
    },
  ],
  fixes: (context) => [roomForLibrary(context), findHolder(context)],
  useless: [],
} as const satisfies CauseDefinition;
