import type { Grammar } from './grammar';

/** Listings that are evidence by themselves: processes that cannot end, a full /dev/shm, an allocator's map. */
export const listingGrammars = [
  {
    kind: 'zombie',
    role: 'cause',
    story: 'zombie',
    by: 'line',
    format: 'ps-output',
    framework: null,
    vendor: null,
    examples: ['77637     1 R    Wed Sep 17 12:51:13 2025 VLLM::EngineCore'],
    anchors: ['pid ppid', 'pid  ppid', 'ppid stat', 'vllm::en', 'vllm::wo', '<defunct>', 'pt_data_worker'],
    // Re-parented to PID 1 and dead, in uninterruptible sleep, or running; what a rule makes of it needs more signs.
    start:
      '^\\s*(?:[a-z_][\\w-]{0,30}\\$?\\s+)?{pid:integer}\\s+{parentPid:integer}(?<=\\s1)\\s+{state:word}(?<=\\s[RDZ]\\w{0,4})[<+]{0,2}\\s.{0,120}?(?:VLLM::|ray::|sglang|python|torchrun|pt_|train|<defunct>)',
  },
  {
    kind: 'shm',
    role: 'cause',
    story: 'shm',
    by: 'line',
    format: 'df-output',
    framework: null,
    vendor: null,
    examples: ['shm                                                          1.0G  883M  142M  87% /dev/shm'],
    anchors: ['% /dev/shm'],
    start: '\\s\\S{1,12}\\s+\\S{1,12}\\s+\\S{1,12}\\s+{usedPercent:integer}(?<=8[5-9]|9\\d|100)% /dev/shm',
  },
  {
    kind: 'oom',
    role: 'cause',
    story: 'gpu-oom',
    format: 'memory-snapshot',
    framework: 'pytorch',
    vendor: null,
    examples: [
      "{'active_size': 499214336, 'address': 139624890499072, 'allocated_size': 499214336, 'blocks': [{'size': 16515072, 'state': 'active_allocated'}, {'size': 11400192, 'state': 'active_allocated'}, {'size': 18191360, 'state': 'inactive'}], 'device': 0, 'segment_type': 'large'}",
    ],
    anchors: ["'state': 'inactive'", "'state':'inactive'"],
    start: "'blocks':\\[\\{.{0,3000}?'active_allocated'.{0,600}?'state':'inactive'",
  },
  {
    // Some loggers print the class and nothing else.
    kind: 'oom',
    role: 'cause',
    story: 'memory-line',
    by: 'line',
    format: 'class-only',
    framework: null,
    vendor: null,
    examples: [
      'torch.OutOfMemoryError',
      'jaxlib.xla_extension.XlaRuntimeError: OutOfMemoryError',
      'loading stable diffusion model: OutOfMemoryError',
    ],
    anchors: ['outofmemory'],
    start:
      '^\\s*(?:[\\w.:]{1,80}[.: ] ?|[A-Za-z][\\w ,:-]{1,80}: (?:[\\w.]{1,40}\\.)?)?(?:CUDA|Cuda|GPU|Torch)?(?:OutOfMemory(?:Error|Exception)?|OOMError)\\s*:?\\s*$',
  },
] as const satisfies readonly Grammar[];
