import type { Grammar } from './grammar';

/** Allocators of main memory that were refused, of frameworks, languages and systems. */
const shared = { kind: 'host-oom', role: 'cause', story: 'host-oom' } as const;

export const hostAllocatorGrammars = [
  {
    ...shared,
    format: [
      { name: 'CPUAllocator-windows', when: /notenoughmemory/ },
      { name: 'CPUAllocator', when: /(?:)/ },
    ],
    framework: 'pytorch',
    vendor: null,
    examples: [
      'RuntimeError: [enforce fail at ..\\c10\\core\\CPUAllocator.cpp:73] data. DefaultCPUAllocator: not enough memory: you tried to allocate 318767104000 bytes. Buy new RAM!',
    ],
    anchors: ['defaultcpuallocator', 'torch: not enough memory'],
    start:
      "(?:DefaultCPUAllocator: (?:can'?t allocate memory|not enough memory)|\\$ Torch: not enough memory)",
    fields: ['you tried to allocate {triedBytes:size}'],
  },
  {
    ...shared,
    format: 'numpy',
    framework: null,
    vendor: null,
    examples: [
      'numpy.core._exceptions._ArrayMemoryError: Unable to allocate 74.5 GiB for an array with shape (100000, 100000) and data type float64',
    ],
    anchors: ['unable to allocate'],
    start: 'Unable to allocate {triedBytes:size} for an array with shape',
  },
  {
    ...shared,
    by: 'line',
    format: 'MemoryError',
    framework: null,
    vendor: null,
    examples: ['MemoryError'],
    anchors: ['memoryerror', 'bad_alloc', 'cannot allocate memory'],
    start:
      '(?<![\\w.])MemoryError(?=:|\\s*$)(?!.{0,60}(?:CUDA|cuda|RMM|Metal|OOM|GPU|Allocation of))|\\[Errno 12\\] Cannot allocate memory|what\\(\\): +std::bad_alloc|instance of .std::bad_alloc|exception of type std::bad_alloc',
  },
  {
    ...shared,
    by: 'line',
    // strerror(ENOMEM) at the end of whatever a program says: mmap, fork, a library. Locking memory has its own limit.
    format: 'errno-12',
    framework: null,
    vendor: null,
    examples: [
      'llama_model_load: error loading model: mmap failed: Cannot allocate memory',
      'virtual memory exhausted: Cannot allocate memory',
      '-bash: fork: Cannot allocate memory',
    ],
    anchors: ['cannot allocate memory'],
    start:
      '(?<!lock.{0,120}|ibv_\\w{1,30}.{0,60}|libibverbs.{0,80}|warning.{0,80})(?:[:,]|failed|\\berror) {0,2}Cannot allocate memory(?: \\(12\\))?[.)]?\\s*$',
  },
  {
    ...shared,
    // Languages and libraries that say of the process's own memory that it could not grow.
    format: 'native-allocator',
    framework: null,
    vendor: null,
    examples: [
      'java.lang.OutOfMemoryError: Java heap space',
      'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
      'fatal error: runtime: out of memory',
      'LLVM ERROR: out of memory',
    ],
    anchors: [
      'java.lang.outofmemoryerror',
      'javascript heap out of memory',
      'runtime: out of memory',
      'llvm error: out of memory',
    ],
    start:
      'java\\.lang\\.OutOfMemoryError: |JavaScript heap out of memory|fatal error: runtime: out of memory|LLVM ERROR: out of memory',
  },
  {
    ...shared,
    // The same with the size: Rust, Arrow, GCC, NCCL, Paddle.
    format: 'native-allocator',
    framework: null,
    vendor: null,
    examples: [
      'memory allocation of 1073741824 bytes failed',
      'pyarrow.lib.ArrowMemoryError: malloc of size 8589934592 failed',
      'cc1plus: out of memory allocating 65536 bytes after a total of 1234567 bytes',
      'host1:31:88 [0] include/alloc.h:30 NCCL WARN Failed to malloc 4096 bytes',
      'ResourceExhaustedError: Fail to alloc memory of 46549499904 size, error code is 12.',
    ],
    anchors: [
      'memory allocation of',
      'malloc of size',
      'realloc of size',
      'after a total of',
      'warn failed to malloc',
      'fail to alloc memory of',
    ],
    start:
      '(?:(?<!device )memory allocation of(?=\\d{1,19} bytes failed)|(?:m|re)alloc of size(?=\\d{1,19} failed)|out of memory allocating(?=\\d{1,19} bytes after a total)|NCCL WARN Failed to malloc(?=\\d{1,19} bytes)|Fail to alloc memory of(?=\\d{1,19} size)) {triedBytes:integer}',
  },
  {
    ...shared,
    format: 'WinError-1455',
    framework: null,
    vendor: null,
    examples: ['OSError: [WinError 1455] 页面文件太小,无法完成操作。'],
    // 8 and 1450 say the same of the system's own pools.
    anchors: [
      'winerror 1455',
      'winerror 1450',
      'winerror 8]',
      'os error 1455',
      'os error 1450',
      'paging file is too small',
      'error code: 1455',
      'not enough memory resources are',
    ],
    start:
      '\\[WinError {windowsError:integer}(?<=WinError(?:1455|1450|8))\\]|\\(os error (?:1455|1450)\\)|error code:? ?1455|The paging file is too small for this operation|Not enough memory resources are available to',
  },
  {
    ...shared,
    format: 'mmap-errno-12',
    framework: 'pytorch',
    vendor: null,
    examples: [
      'RuntimeError: unable to mmap 4096 bytes from file <filename not specified>: Cannot allocate memory (12)',
    ],
    anchors: ['cannot allocate memory (12)'],
    start: 'unable to mmap {triedBytes:integer} bytes from file.{0,200}?Cannot allocate memory \\(12\\)',
  },
] as const satisfies readonly Grammar[];
