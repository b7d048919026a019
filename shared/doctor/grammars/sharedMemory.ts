import type { Grammar } from './grammar';

/** /dev/shm, through which DataLoader workers and NCCL pass data; usually too small in containers. */
const shared = { kind: 'shm', role: 'cause', story: 'shm' } as const;

export const sharedMemoryGrammars = [
  {
    ...shared,
    format: 'shm-errno-28',
    framework: 'pytorch',
    vendor: null,
    examples: [
      'RuntimeError: unable to write to file </torch_739_144252761_4>: No space left on device (28)',
    ],
    anchors: ['unable to write to file', 'no space left on device', 'unable to allocate shared memory'],
    start:
      '(?:unable to write to file|unable to (?:resize|mmap|allocate)[^<]{0,40}) ?</?(?:dev/shm/)?torch_[\\w]{1,40}>.{0,40}?(?:No space left on device|\\(28\\)|Cannot allocate memory|Success|Resource temporarily unavailable)',
  },
  {
    ...shared,
    format: 'shm-errno-28',
    framework: 'pytorch',
    vendor: null,
    examples: ["OSError: [Errno 28] No space left on device: '/dev/shm/sem.mp-abc'"],
    anchors: ['no space left on device'],
    start:
      '(?:\\[Errno 28\\] No space left on device:.{0,4}/dev/shm|unable to open shared memory object.{0,80}?\\(28\\))',
  },
  {
    ...shared,
    format: 'dataloader-buserror',
    framework: 'pytorch',
    vendor: null,
    examples: ['RuntimeError: DataLoader worker (pid 47) is killed by signal: Bus error.'],
    anchors: ['by signal: bus', 'insufficient shared memory', 'out of shared memory', 'bus error'],
    start:
      '(?:DataLoader (?:worker|process) ?(?:\\(pid\\(?s?\\)?[ .:]{0,4}{workerPid:integer}?[^)]{0,20}\\))? (?:exited )?is killed by signal: (?:Bus error|SIGBUS)|Unexpected bus error encountered in (?:DataLoader )?worker)',
  },
  {
    ...shared,
    format: 'elastic-sigbus',
    framework: 'pytorch',
    vendor: null,
    examples: ['exits with return code = -7'],
    anchors: ['signal 7 (sigbus)', 'exitcode: -7', 'exitcode  : -7', 'return code = -7', 'bus error'],
    start:
      '(?:Signal 7 \\(SIGBUS\\) received by PID {pid:integer}|(?:exitcode:|return code =) ?-7(?!\\d)|Bus error \\(core dumped\\)|Fatal Python error: Bus error|Signal: Bus error \\(7\\)|tasks? [\\d,-]{1,40}: Bus error)',
  },
  {
    ...shared,
    format: [
      { name: 'nccl-shm-2.2x', when: /shmutils\.cc|\/dev\/shm\/nccl/, vendor: 'nvidia' },
      { name: 'nccl-shm-2.7', when: /(?:)/, vendor: 'nvidia' },
    ],
    framework: 'nccl',
    vendor: null,
    examples: ['Error while creating shared memory segment /dev/shm/nccl-0Wkzf2 (size 9637888)'],
    anchors: ['while creating shared memory segment', 'posix_fallocate failed', 'failed to extend /dev/shm'],
    start:
      '(?:Call to posix_fallocate failed: No space left on device|failed to extend /dev/shm/nccl-\\w{1,20} to {extendBytes:integer} bytes|Error while creating shared memory segment)',
    fields: ['\\(size {segmentBytes:integer}\\)'],
  },
] as const satisfies readonly Grammar[];
