import type { Grammar } from './grammar';

/** Who ends processes for host memory besides the kernel, and how shells and services tell of it. */
const shared = { kind: 'host-oom', role: 'cause', story: 'host-oom' } as const;

export const hostKillGrammars = [
  {
    ...shared,
    // https://github.com/rfjakob/earlyoom
    format: 'earlyoom',
    framework: null,
    vendor: null,
    examples: [
      'earlyoom[812]: sending SIGTERM to process 4242 uid 1000 "python": badness 1200, VmRSS 61234 MiB',
    ],
    anchors: ['earlyoom'],
    start: 'sending SIG(?:TERM|KILL) to process {killedPid:integer} uid \\d{1,9} "{killedName:name}"',
    fields: ['VmRSS {residentMib:integer} MiB'],
  },
  {
    ...shared,
    // https://docs.kernel.org/admin-guide/cgroup-v2.html#memory-interface-files
    by: 'line',
    format: 'cgroup-memory-events',
    framework: null,
    vendor: null,
    examples: ['oom 3\noom_kill 3'],
    anchors: ['oom_kill'],
    start:
      '^\\s*(?:memory\\.events(?:\\.local)?[: ]\\s*)?oom_(?:group_)?kill[: ]\\s?{oomKills:integer}(?<![ :]0)\\s*$',
  },
  {
    ...shared,
    // Apple's jetsam. https://developer.apple.com/documentation/xcode/identifying-high-memory-use-with-jetsam-event-reports
    format: 'jetsam',
    framework: null,
    vendor: null,
    examples: [
      'kernel: memorystatus: killing_specific_process pid 4242 [python3.12] (vm-compressor-space-shortage) 61234567KB - memorystatus_available_pages: 1024',
      'kernel: memorystatus: killing largest compressed process python3.12 [4242] 61234 MB',
    ],
    anchors: ['memorystatus: killing', 'jetsamevent', 'resource_type_memory'],
    start:
      'memorystatus: killing(?:_(?:specific|top|idle|highwater)_process pid {killedPid:integer} \\[{killedName:name}\\]| largest compressed process)|JetsamEvent|EXC_RESOURCE.{0,40}?RESOURCE_TYPE_MEMORY',
  },
  {
    ...shared,
    // Windows' Resource-Exhaustion-Detector, event 2004.
    format: 'windows-low-memory',
    framework: null,
    vendor: null,
    examples: [
      'Windows successfully diagnosed a low virtual memory condition. The following programs consumed the most virtual memory: python.exe (4242) consumed 61234567890 bytes',
    ],
    anchors: ['diagnosed a low virtual memory condition'],
    start: 'diagnosed a low virtual memory condition',
    fields: ['\\({killedPid:integer}\\) consumed {hostUsedBytes:integer} bytes'],
  },
  {
    ...shared,
    // ollama checks before it loads: https://github.com/ollama/ollama/blob/main/llm/server.go
    format: 'ollama-system-memory',
    framework: 'ollama',
    vendor: null,
    examples: [
      'Error: model requires more system memory (164.8 GiB) than is available (13.4 GiB)',
      'level=WARN source=server.go:1044 msg="model request too large for system" requested="5.3 GiB" available="4.8 GiB" total="10.0 GiB" free="4.8 GiB" swap="0 B"',
    ],
    anchors: ['requires more system memory', 'request too large for system'],
    start:
      'model requires more system memory(?: than is (?:currently )?available)? ?(?:\\({neededBytes:size}\\))?(?: than is (?:currently )?available)?(?: ?\\(?{availableBytes:size}\\)?)?|model request too large for system',
    fields: ['requested="{neededBytes:size}"', 'available="{availableBytes:size}"'],
  },
  {
    ...shared,
    format: 'Ray-pod-limit',
    framework: 'ray',
    vendor: null,
    examples: ['Worker exits with an exit code None. The worker may have exceeded K8s pod memory limits.'],
    anchors: ['exceeded k8s pod memory limits'],
    start: 'may have exceeded K8s pod memory limits',
  },
  {
    ...shared,
    // concurrent.futures, joblib (loky) and multiprocessing: a worker went away without a word.
    by: 'line',
    format: 'pool-broken',
    framework: null,
    vendor: null,
    examples: [
      'concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly while the future was running or pending.',
      'joblib.externals.loky.process_executor.TerminatedWorkerError: A worker process managed by the executor was unexpectedly terminated.',
      'distributed.scheduler.KilledWorker: Attempted to run task train on 4 different workers, but all those workers died while running it.',
    ],
    anchors: [
      'brokenprocesspool',
      'terminatedworkererror',
      'process pool was terminated',
      'killedworker: attempted to run',
    ],
    start: '^\\s*(?:[\\w.]{1,60}\\.)?(?:BrokenProcessPool|TerminatedWorkerError|KilledWorker): ',
  },
  {
    ...shared,
    by: 'line',
    format: 'rust-errno-12',
    framework: null,
    vendor: null,
    examples: ['OSError: Cannot allocate memory (os error 12)'],
    anchors: ['os error 12)'],
    start: '\\(os error 12\\)',
  },
  {
    ...shared,
    format: 'ggml-host-buffer',
    framework: 'llama.cpp',
    vendor: null,
    examples: ['ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 17179869184'],
    anchors: ['cpu_buffer_type_alloc_buffer', 'unable to allocate cpu buffer', 'aligned_malloc'],
    start:
      'cpu_buffer_type_alloc_buffer: failed to allocate buffer of size {triedBytes:integer}|unable to allocate CPU buffer|ggml_aligned_malloc: insufficient memory',
  },
] as const satisfies readonly Grammar[];
