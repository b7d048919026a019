import type { Grammar } from './grammar';

/** A library could not create its handle or workspace: most often there was no memory left for it. */
const shared = { kind: 'oom', role: 'cause', story: 'gpu-oom' } as const;

export const libraryGrammars = [
  {
    ...shared,
    format: 'TF-driver',
    framework: 'tensorflow',
    vendor: null,
    examples: [
      'E tensorflow/stream_executor/cuda/cuda_blas.cc:226] failed to create cublas handle: CUBLAS_STATUS_ALLOC_FAILED',
    ],
    anchors: ['failed to create cublas handle', 'failed to create cublas_handle'],
    start: 'failed to create cublas ?_?handle',
  },
  {
    ...shared,
    format: 'TF-cuDNN',
    framework: 'tensorflow',
    vendor: null,
    examples: [
      'E tensorflow/stream_executor/cuda/cuda_dnn.cc:429] Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED',
    ],
    anchors: [
      'no algorithm worked',
      'failure to initialize cublas',
      'could not create cudnn handle',
      'failed to get convolution algorithm',
    ],
    start:
      '(?:Failed to get convolution algorithm|Failure to initialize cublas may be due to OOM|No algorithm worked!|Could not create cudnn handle)',
  },
  {
    ...shared,
    // TensorFlow 1's word for any refusal of cuBLAS; most often another process holds the card.
    format: 'TF-BLAS-launch',
    framework: 'tensorflow',
    vendor: 'nvidia',
    examples: [
      'InternalError: Blas GEMM launch failed : a.shape=(100, 784), b.shape=(784, 256), m=100, n=256, k=784 [Op:MatMul]',
    ],
    anchors: ['gemm launch failed', 'gemmbatched launch failed', 'gemv launch failed', 'scal launch failed'],
    start: 'Blas x?(?:GEMM|GEMV|SCAL)\\w{0,24} launch failed',
  },
  {
    ...shared,
    format: 'cuBLAS-masked',
    framework: null,
    vendor: 'nvidia',
    examples: [
      'Check failed: err == CUBLAS_STATUS_SUCCESS (1 vs. 0) : Create cublas handle failed',
      'INTERNAL: jaxlib/gpu/solver_handle_pool.cc:37: operation gpusolverDnCreate(&handle) failed: cuSolver internal error',
    ],
    anchors: [
      'cublas_status_',
      'create cublas handle failed',
      'curand_status_',
      'cusolver_status_',
      'cusparse_status_',
      'cufft_alloc_failed',
      'cufft error: cufft_',
      'hipblas_status_',
      'hipsparse_status_',
      'hipfft_alloc_failed',
      'cutensor_status_',
      'gpusolverdncreate',
      'gpublascreate',
    ],
    start:
      '(?:CUBLAS_STATUS_(?:ALLOC_FAILED|NOT_INITIALIZED|INTERNAL_ERROR when calling `?cublas(?:Lt)?Create)|Create cublas handle failed|CURAND_STATUS_(?:ALLOCATION_FAILED|INITIALIZATION_FAILED)|(?:CUSOLVER|CUSPARSE|HIPBLAS|HIPSPARSE|CUTENSOR)_STATUS_(?:ALLOC_FAILED|NOT_INITIALIZED|INSUFFICIENT_RESOURCES|INSUFFICIENT_WORKSPACE)|(?:CUSOLVER|CUSPARSE)_STATUS_INTERNAL_ERROR(?=.{0,40}Create)|operation gpu(?:solverDn|blas)Create\\(&handle\\) failed|(?:CU|HIP)FFT_(?:ALLOC_FAILED|INTERNAL_ERROR(?=.{0,80}plan)))',
  },
  {
    ...shared,
    format: 'cuDNN-masked',
    framework: null,
    vendor: 'nvidia',
    examples: ['RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED'],
    anchors: [
      'cudnn_status_',
      'unable to find an engine to execute',
      'find a valid cudnn algorithm',
      'miopenstatus',
      'miopen_status_',
    ],
    start:
      '(?:CUDNN_STATUS_(?:ALLOC_FAILED|NOT_INITIALIZED|INTERNAL_ERROR_(?:DEVICE|HOST)_ALLOCATION_FAILED)|miopenStatus(?:AllocFailed|NotInitialized)|MIOPEN_STATUS_ALLOC_FAILED|(?:FIND|GET) was unable to find an engine to execute this computation|Unable to find a valid cuDNN algorithm)',
  },
  {
    ...shared,
    format: 'NVML-assert',
    framework: null,
    vendor: 'nvidia',
    examples: [
      'RuntimeError: NVML_SUCCESS == r INTERNAL ASSERT FAILED at "../c10/cuda/CUDACachingAllocator.cpp":830, please report a bug to PyTorch.',
    ],
    anchors: ['nvml_success == ', 'nvml internal assert'],
    start:
      '(?:NVML_SUCCESS==r.{0,30}INTERNAL ASSERT FAILED at.{0,80}?CUDACachingAllocator\\.cpp["\':]{0,2}{sourceLine:integer}|CUDACachingAllocator\\.cpp:?(?:\\d{1,5})? NVML internal assert)',
  },
] as const satisfies readonly Grammar[];
