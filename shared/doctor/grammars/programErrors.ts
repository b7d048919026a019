import type { Grammar } from './grammar';

/**
 * Errors that end a training run and are no matter of memory. No cause of the list fits them, so the doctor says what
 * they mean (advice/meaning.ts). Only words that state the error count: most of these stand in warnings, too.
 */
const error = { kind: 'not-memory', role: 'cause', story: 'program-error', by: 'line' } as const;
/** Behind the class of an exception, as a traceback ends, or behind a program's own word for a failure. */
const raised = String.raw`^\s*(?:[\w.]{0,80}(?:Error|Exception)|!!! Exception during processing(?: !!!)?|[^a-z]{0,30}(?:错误|失败|异常))[: ].{0,80}?`;

export const programErrorGrammars: readonly Grammar[] = [
  {
    ...error,
    kind: 'other',
    format: 'port-in-use',
    anchors: ['failed to listen on any local', 'eaddrinuse', 'address already in use'],
    start: `The server socket has failed to listen on any local network address|${raised}(?:EADDRINUSE|Address already in use)`,
  },
  {
    ...error,
    kind: 'driver',
    format: 'no-kernel-image',
    anchors: ['no kernel image is available', 'cudaerrornokernelimagefordevice'],
    start: `${raised}no kernel image is available for execution|cudaErrorNoKernelImageForDevice`,
  },
  {
    ...error,
    kind: 'driver',
    format: 'driver-too-old',
    anchors: ['driver on your system is too old', 'cuda driver version is insufficient'],
    start: `${raised}driver on your system is too old(?: \\(found version {driverVersion:integer}\\))?|${raised}CUDA driver version is insufficient`,
  },
  {
    ...error,
    kind: 'driver',
    format: 'fabric-not-ready',
    anchors: ['error 802: '],
    start: 'cudaGetDeviceCount\\(\\).{0,200}?Error 802: ',
  },
  {
    ...error,
    kind: 'driver',
    format: 'cpu-only-build',
    anchors: ['torch not compiled with cuda', "package doesn't have nccl"],
    start: `${raised}(?:Torch not compiled with CUDA enabled|Distributed package doesn't have NCCL built in)`,
  },
  {
    ...error,
    kind: 'driver',
    format: 'card-not-visible',
    anchors: [
      'invalid device ordinal',
      'attempting to deserialize object on cuda device',
      'device < num_gpus internal assert',
    ],
    start: `${raised}(?:invalid device ordinal|device >= 0 && device < num_gpus INTERNAL ASSERT FAILED)|Attempting to deserialize object on CUDA device {askedCard:integer} but torch\\.cuda\\.device_count\\(\\) is {visibleCards:integer}`,
  },
  {
    ...error,
    format: 'two-devices',
    anchors: ['tensors to be on the same device', 'all indices to be on the same device'],
    start: `${raised}Expected all (?:tensors|indices) to be on the same device`,
  },
  {
    ...error,
    format: 'types-differ',
    anchors: [
      'expected scalar type',
      'must have the same dtype',
      'should be the same',
      'expected m1 and m2 to have',
    ],
    start: `${raised}(?:expected scalar type \\w+ but found|must have the same dtype|expected m1 and m2 to have the same dtype|Input type \\(.{1,60}\\) and (?:weight|bias) type \\(.{1,60}\\) should be the same)`,
  },
  {
    ...error,
    format: 'shapes-differ',
    anchors: [
      'shapes cannot be multiplied',
      'must match the size of tensor b',
      'expects each tensor to be equal size',
      'is invalid for input of size',
      'sizes of tensors must match',
    ],
    start: `(?:${raised}|^)(?:mat1 and mat2 shapes cannot be multiplied|The size of tensor a \\(\\d+\\) must match the size of tensor b|stack expects each tensor to be equal size|shape '\\[.{1,80}\\]' is invalid for input of size|Sizes of tensors must match except)`,
  },
  {
    ...error,
    format: 'state-dict-differs',
    anchors: ['in loading state_dict for', "group that doesn't match the size of optimizer"],
    start: `Error\\(s\\) in loading state_dict for|${raised}loaded state dict contains a parameter group that doesn't match`,
  },
  {
    ...error,
    format: 'ddp-unused-parameters',
    anchors: ['finished reduction in the prior iteration'],
    start: 'Expected to have finished reduction in the prior iteration',
  },
  {
    ...error,
    format: 'not-finite',
    anchors: [
      'loss scale already at minimum',
      'minimum loss scale reached',
      'no inf checks were recorded',
      'floatingpointerror: ',
      'returned nan values in its',
      ', stopping training',
    ],
    start: `${raised}(?:loss scale already at minimum|Minimum loss scale reached|No inf checks were recorded|returned nan values in its)|FloatingPointError: |Loss is (?:nan|inf), stopping training`,
  },
  {
    ...error,
    format: 'scaler-on-fp16-weights',
    anchors: ['attempting to unscale fp16'],
    start: `${raised}Attempting to unscale FP16 gradients`,
  },
  {
    ...error,
    format: 'hub-no-access',
    anchors: ['gatedrepoerror', 'repositorynotfounderror', 'is not a valid model identifier'],
    start: `^\\s*(?:[\\w.]{0,60}\\.)?(?:GatedRepo|RepositoryNotFound)Error: |${raised}is not a local folder and is not a valid model identifier`,
  },
  {
    ...error,
    format: 'hub-not-reached',
    anchors: ['localentrynotfounderror', "connect to 'https://huggingface", 'offlinemodeisenabled'],
    start: `^\\s*(?:[\\w.]{0,60}\\.)?(?:LocalEntryNotFoundError|OfflineModeIsEnabled): |${raised}couldn't connect to 'https://huggingface`,
  },
  {
    ...error,
    format: 'disk-full',
    anchors: [
      'no space left on device',
      'disk quota exceeded',
      'failed writing file',
      'low on resource: ephemeral',
    ],
    start: `${raised}(?:No space left on device|Disk quota exceeded)|${raised}PytorchStreamWriter failed writing file|node was low on resource: ephemeral-storage`,
  },
  {
    ...error,
    format: 'cuda-after-fork',
    anchors: ['cannot re-initialize cuda in forked'],
    start: 'Cannot re-initialize CUDA in forked subprocess',
  },
  {
    ...error,
    format: 'no-main-guard',
    anchors: ['finished its bootstrapping phase'],
    start: 'current process has finished its bootstrapping phase',
  },
  {
    ...error,
    format: 'bitsandbytes-without-cuda',
    anchors: ['cuda setup failed despite', 'libbitsandbytes_cpu.so: undefined'],
    start:
      'CUDA Setup failed despite (?:GPU|CUDA) being available|libbitsandbytes_cpu\\.so: undefined symbol',
  },
  {
    ...error,
    format: 'library-call-failed',
    anchors: ['cublas_status_', 'cudnn_status_'],
    start: `${raised}(?:CUBLAS_STATUS_(?:EXECUTION_FAILED|INTERNAL_ERROR|NOT_SUPPORTED|INVALID_VALUE)|CUDNN_STATUS_(?:EXECUTION_FAILED|MAPPING_ERROR|INTERNAL_ERROR|BAD_PARAM|NOT_SUPPORTED))`,
  },
  {
    ...error,
    kind: 'nccl',
    format: 'nccl-system-error',
    anchors: ['ncclsystemerror', 'unhandled system error'],
    start: 'ncclSystemError: |NCCL error.{0,120}unhandled system error',
  },
  {
    ...error,
    kind: 'nccl',
    format: 'nccl-call-refused',
    anchors: ['ncclinternalerror', 'ncclinvalidusage', 'ncclinvalidargument'],
    start: 'nccl(?:InternalError|InvalidUsage|InvalidArgument): ',
  },
  {
    ...error,
    kind: 'nccl',
    role: 'consequence',
    format: 'rendezvous-timeout',
    anchors: ['client socket has timed out', 'seconds waiting for clients', 'rendezvousconnectionerror'],
    start: `${raised}(?:The client socket has timed out|Timed out after \\d+ seconds waiting for clients)|RendezvousConnectionError: `,
  },
  {
    ...error,
    kind: 'other',
    format: 'slurm-cancelled',
    anchors: [' cancelled at '],
    start:
      '\\*{0,3} ?(?:JOB|STEP) [\\d.]{1,20} ON \\S{1,60} CANCELLED AT \\S{1,40}(?: DUE TO {reason:word})?',
  },
  {
    ...error,
    kind: 'other',
    format: 'crashed',
    anchors: [
      'signal 11 (sigsegv)',
      'exitcode: -11',
      'exitcode  : -11',
      'return code = -11',
      'segmentation fault',
      // Windows: an access violation, a stack that overflowed, and a check that failed fast.
      'exit code -1073',
      'exit status 32212',
      'windows fatal exception: ',
    ],
    start:
      'Windows fatal exception: (?:access violation|stack overflow)|(?:returned non-zero )?exit (?:code -1073(?:741819|741571|740791)|status (?:3221225477|3221225725|3221226505))(?!\\d)|Signal 11 \\(SIGSEGV\\) received by PID|killed by signal: Segmentation fault|(?:exitcode *:|return code =) ?-11(?!\\d)|^(?:Fatal Python error: )?Segmentation fault(?: \\(core dumped\\))?\\s*$|: line \\d{1,6}: +\\d+ Segmentation fault',
  },
];
