import type { Grammar } from './grammar';

/** NCCL and gloo: most lines are printed by ranks that only waited for one that had failed. */
const victim = { kind: 'nccl', role: 'consequence', story: 'nccl-wait' } as const;
const buffers = { kind: 'nccl', role: 'cause', story: 'nccl-oom' } as const;

export const collectiveGrammars = [
  {
    ...buffers,
    format: [
      { name: 'nccl-calloc', when: /calloc/, vendor: 'nvidia' },
      { name: 'nccl-unhandled', when: /(?:)/, vendor: 'nvidia' },
    ],
    framework: 'nccl',
    vendor: null,
    examples: ["gpu01:1277:1356 [3] include/alloc.h:89 NCCL WARN Cuda failure 'out of memory'"],
    anchors: [
      "hip failure 'out of memory'",
      "cuda failure 'out of memory'",
      'failed to cuda',
      'nccl cuda out of memory',
      'cuda failure 2',
    ],
    start:
      "\\[{gpuIndex:index}\\][^\\[\\]]{0,60}? NCCL WARN (?:(?:Cuda|HIP) failure (?:\\d{1,3} )?'out of memory'|Failed to CUDA (?:calloc|malloc|host alloc)(?: async)? {triedBytes:integer} bytes)",
    gap: 160,
    fields: ['Failed to CUDA (?:calloc|malloc|host alloc)(?: async)? {triedBytes:integer} bytes'],
  },
  {
    ...buffers,
    format: 'nccl-unhandled',
    framework: 'nccl',
    vendor: 'nvidia',
    examples: ["Cuda failure 2 'out of memory'"],
    anchors: [
      "hip failure 'out of memory'",
      "cuda failure 'out of memory'",
      'nccl cuda out of memory',
      'cuda failure 2',
    ],
    start: "(?:NCCL CUDA out of memory|(?:Cuda|HIP) failure (?:\\d{1,3} )?'out of memory')",
    fields: ['Failed to CUDA (?:calloc|malloc|host alloc)(?: async)? {triedBytes:integer} bytes'],
  },
  {
    ...victim,
    format: [
      { name: 'nccl-watchdog-2.x', when: /NumelIn/, vendor: 'nvidia' },
      { name: 'nccl-watchdog-2.0', when: /(?:)/, vendor: 'nvidia' },
    ],
    framework: 'nccl',
    vendor: null,
    examples: ['Watchdog caught collective operation timeout:'],
    anchors: ['watchdog caught collective operation timeout'],
    start:
      '(?:\\[PG[^\\]]{0,60}? )?(?:\\[Rank {rank:integer}\\])? ?Watchdog caught collective operation timeout(?:: WorkNCCL\\(SeqNum={sequenceNumber:integer}, OpType={operation:word})?',
    fields: [
      'NumelIn={inputElements:integer}',
      'Timeout\\(ms\\)={timeoutMilliseconds:integer}',
      'ran for {ranForMilliseconds:integer} milliseconds',
    ],
  },
  {
    ...victim,
    format: 'nccl-watchdog-work',
    framework: 'nccl',
    vendor: 'nvidia',
    examples: [
      '[E ProcessGroupNCCL.cpp:1537] [PG 1 Rank 1] Timeout at NCCL work: 158046, last enqueued NCCL work: 158046, last completed NCCL work: 158045.',
    ],
    anchors: ['timeout at nccl work', 'detected by watchdog at work'],
    start:
      '(?:\\[PG[^\\]]{0,40}? Rank {rank:integer}\\])? ?(?:Timeout at NCCL work: ?{sequenceNumber:integer}|Exception \\(either an error or timeout\\) detected by watchdog at work: ?{workNumber:integer})',
  },
  {
    ...victim,
    format: 'nccl-watchdog-stuck',
    framework: 'nccl',
    vendor: 'nvidia',
    examples: ['RuntimeError: [Rank 0]: Ranks 3 failed to pass monitoredBarrier in 1800000 ms'],
    anchors: [
      'watchdog got stuck',
      'nccl operations have failed or timed out',
      'due to a collective timeout from rank',
      'attempting to dump debug info',
      'failed to pass monitoredbarrier',
    ],
    start:
      '(?:Rank {rank:integer}\\])? ?(?:ProcessGroupNCCL.s watchdog got stuck for|Some NCCL operations have failed or timed out|Received a dump signal due to a collective timeout|Terminating the process after attempting to dump debug info|Ranks? [\\d, ]{1,80} failed to pass monitoredBarrier)',
  },
  {
    ...victim,
    format: 'nccl-unhandled-cuda-error',
    framework: 'nccl',
    vendor: 'nvidia',
    examples: ['NCCL Error 1: unhandled cuda error'],
    anchors: ['unhandled cuda error', 'ncclunhandledcudaerror'],
    start: '(?:unhandled cuda error|ncclUnhandledCudaError)',
    gap: 220,
    fields: ["Cuda failure (?:\\d{1,3} )?'{cudaFailure:name}'"],
  },
  {
    ...victim,
    format: 'nccl-remote-error',
    framework: 'nccl',
    vendor: 'nvidia',
    examples: [
      '[E ProcessGroupNCCL.cpp:455] NCCL error: remote process exited or there was a network error, NCCL version 2.14.3',
    ],
    anchors: ['ncclremoteerror', 'remote process exited', 'connection closed by remote peer'],
    start:
      '(?:NCCL error: remote process exited or there was a network error|ncclRemoteError|NCCL WARN.{0,60}? Connection closed by remote peer)',
  },
  {
    ...victim,
    format: 'nccl-connection-closed',
    framework: 'nccl',
    vendor: 'nvidia',
    examples: ['node-w-0:15325:16199 [2] NCCL INFO [Service thread] Connection closed by localRank 2'],
    anchors: ['connection closed by localrank'],
    start: 'Connection closed by localRank {culpritRank:integer}',
  },
  {
    ...victim,
    format: 'gloo-connection-closed',
    framework: null,
    vendor: null,
    examples: [
      'RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:525] Connection closed by peer [10.0.0.2]:28731',
    ],
    anchors: ['connection closed by peer', 'connection reset by peer', 'socket timeout'],
    start:
      'gloo/transport/tcp/\\w{1,20}\\.cc:\\d{1,5}\\] (?:Connection closed by peer|Timed out waiting|Read error)',
  },
] as const satisfies readonly Grammar[];
