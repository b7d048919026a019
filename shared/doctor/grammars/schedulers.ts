import type { Grammar } from './grammar';

/** Who gave the job its memory and took it back: batch systems, container platforms, notebook services. */
const shared = { kind: 'host-oom', role: 'cause', story: 'host-oom' } as const;

export const schedulerGrammars = [
  {
    ...shared,
    format: 'slurm-oom-kill',
    framework: null,
    vendor: null,
    examples: ['srun: error: node12: task 1: Out Of Memory'],
    anchors: [
      'oom-kill event',
      'oom_kill event',
      'oom kill event',
      ': out of memory',
      'exceeded job memory limit',
      'exceeded step memory limit',
      'exceeded memory limit',
      'out-of-memory handler',
    ],
    start:
      '(?:Detected (?!0 oom){events:integer} oom[-_]? kill events?|srun: error:.{1,80}? tasks? [\\d,-]{1,40}: Out Of Memory|Exceeded (?:job|step) memory limit|killed by the cgroup out-of-memory handler|slurmstepd: error:.{0,80}? exceeded.{0,12} memory limit)',
  },
  {
    ...shared,
    by: 'line',
    format: 'slurm-oom-kill',
    framework: null,
    vendor: null,
    examples: ['State: OUT_OF_MEMORY (exit code 0)'],
    anchors: ['out_of_me'],
    start: '(?<![A-Z_])OUT_OF_ME(?:MORY|M?\\+)(?![A-Z_:])',
  },
  {
    ...shared,
    // LSF's reasons, OpenPBS's own limits, grid engines' hard limits, HTCondor's hold and YARN, each in its words.
    format: 'scheduler-memory-limit',
    framework: null,
    vendor: null,
    examples: [
      'Error from slot1@node: Job has gone over cgroup memory limit of 16384 megabytes. Last measured usage: 16380 megabytes.',
      'job was held: memory usage exceeded request_memory',
      'TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.',
      '=>> PBS: job killed: mem 34603008kb exceeded limit 33554432kb',
      'job 4242 exceeds job hard limit "h_vmem" of queue "gpu.q@node" (8589934592.00000 > limit:8000000000.00000) - sending SIGKILL',
      'Container killed by YARN for exceeding memory limits. 5.5 GB of 5.5 GB physical memory used.',
    ],
    anchors: [
      'over cgroup memory limit',
      'over memory limit of',
      'exceeded request_memory',
      'memory usage exceeded',
      'memory usage has exceeded',
      'term_memlimit',
      'term_swap',
      ': job killed: ',
      'cgroup mem limit exceeded',
      'exceeds job hard limit',
      'exceeds job master hard limit',
      'killed by yarn for exceeding',
    ],
    start:
      'gone over (?:cgroup )?memory limit of \\d{1,9}|memory usage (?:has )?exceeded (?:request_memory|requested memory|limit)|TERM_(?:MEMLIMIT|SWAP)\\b|PBS: job killed: \\w{0,4}mem|Cgroup mem limit exceeded|exceeds job (?:master )?hard limit "h_(?:vmem|rss|data)"|killed by YARN for exceeding (?:physical |virtual )?memory limits',
  },
  {
    ...shared,
    // Kaggle and Colab on their notebooks; container platforms on their workers.
    format: 'platform-memory-limit',
    framework: null,
    vendor: null,
    examples: [
      'Your notebook tried to allocate more memory than is available. It has restarted.',
      'Your session crashed after using all available RAM.',
      'The container was killed because it exceeded its memory limit.',
      'OutOfMemoryError: Container killed due to memory usage',
      'The replica workerpool0-0 ran out-of-memory and exited with a non-zero status of 137(SIGKILL).',
      'ClientError: Please use an instance type with more memory, or reduce the size of job data processed on an instance.',
    ],
    anchors: [
      'more memory than is available',
      'after using all available ram',
      'exceeded its memory limit',
      'exceeded the memory limit',
      'killed due to memory usage',
      'ran out-of-memory and exited',
      'ran out of memory and exited',
      'an instance type with more memory',
    ],
    start:
      'tried to (?:allocate|use) more memory than is available|session crashed after using all available RAM|(?:killed|terminated|evicted|restarted)[^.]{0,60}exceeded (?:its|the) memory limit|exceeded (?:its|the) memory limit[^.]{0,40}(?:killed|terminated|evicted|restarted)|Container killed due to memory usage|ran out[- ]of[- ]memory and exited|Please use an instance type with more memory',
  },
] as const satisfies readonly Grammar[];
