import type { Grammar } from './grammar';

/** A library could not create its handle or workspace: most often there was no memory left for it. */
const shared = { kind: 'oom', role: 'cause', story: 'gpu-oom' } as const;

export const libraryGrammars: readonly Grammar[] = [
  {
    ...shared,
    format: 'TF-driver',
    anchors: ['failed to create cublas handle', 'failed to create cublas_handle'],
    start: 'failed to create cublas ?_?handle',
  },
  {
    ...shared,
    format: 'TF-cuDNN',
    anchors: ['no algorithm worked', 'failure to initialize cublas', 'could not create cudnn handle'],
    start:
      '(?:Failure to initialize cublas may be due to OOM|No algorithm worked!|Could not create cudnn handle)',
  },
  {
    ...shared,
    format: 'cuBLAS-masked',
    anchors: [
      'cublas_status_',
      'create cublas handle failed',
      'curand_status_',
      'cusolver_status_',
      'cusparse_status_',
    ],
    start:
      '(?:CUBLAS_STATUS_(?:ALLOC_FAILED|NOT_INITIALIZED|INTERNAL_ERROR when calling `?cublas(?:Lt)?Create)|Create cublas handle failed|CURAND_STATUS_(?:ALLOCATION_FAILED|INITIALIZATION_FAILED)|(?:CUSOLVER|CUSPARSE)_STATUS_(?:ALLOC_FAILED|NOT_INITIALIZED))',
  },
  {
    ...shared,
    format: 'cuDNN-masked',
    anchors: ['cudnn_status_', 'unable to find an engine to execute'],
    start:
      '(?:CUDNN_STATUS_(?:ALLOC_FAILED|NOT_INITIALIZED)|(?:FIND|GET) was unable to find an engine to execute this computation)',
  },
  {
    ...shared,
    format: 'NVML-assert',
    anchors: ['nvml_success == ', 'nvml internal assert'],
    start:
      '(?:NVML_SUCCESS==r.{0,30}INTERNAL ASSERT FAILED at.{0,80}?CUDACachingAllocator\\.cpp["\':]{0,2}{sourceLine:integer}|CUDACachingAllocator\\.cpp:?(?:\\d{1,5})? NVML internal assert)',
  },
];
