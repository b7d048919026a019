import type { Grammar } from './grammar';

/** Main memory: the kernel's OOM killer, its limits, and allocators that were refused. */
const shared = { kind: 'host-oom', role: 'cause', story: 'host-oom' } as const;

export const hostGrammars: readonly Grammar[] = [
  {
    ...shared,
    format: [
      { name: 'CPUAllocator-windows', when: /notenoughmemory/ },
      { name: 'CPUAllocator', when: /(?:)/ },
    ],
    anchors: ['defaultcpuallocator'],
    start: "DefaultCPUAllocator: (?:can'?t allocate memory|not enough memory)",
    fields: ['you tried to allocate {triedBytes:integer} bytes'],
  },
  {
    ...shared,
    format: 'numpy',
    anchors: ['unable to allocate'],
    start: 'Unable to allocate {triedBytes:size} for an array with shape',
  },
  {
    ...shared,
    by: 'line',
    format: 'MemoryError',
    anchors: ['memoryerror', 'bad_alloc', 'cannot allocate memory'],
    start:
      '(?<![\\w.])MemoryError(?=:|\\s*$)(?!.{0,40}(?:CUDA|cuda|RMM))|\\[Errno 12\\] Cannot allocate memory|what\\(\\): +std::bad_alloc|instance of .std::bad_alloc',
  },
  {
    ...shared,
    format: 'WinError-1455',
    // 8 and 1450 say the same of the system's own pools.
    anchors: ['winerror 1455', 'winerror 1450', 'winerror 8]'],
    start: '\\[WinError {windowsError:integer}(?<=WinError(?:1455|1450|8))\\]',
  },
  {
    ...shared,
    format: 'mmap-errno-12',
    anchors: ['cannot allocate memory (12)'],
    start: 'unable to mmap {triedBytes:integer} bytes from file.{0,200}?Cannot allocate memory \\(12\\)',
  },
  {
    ...shared,
    format: 'cgroup-oom-kill',
    anchors: ['memory cgroup out of memory'],
    start: 'Memory cgroup out of memory:? Kill(?:ed)? process {killedPid:integer} \\({killedName:name}\\)',
    fields: ['total-vm:{totalVmKib:integer}kB', 'anon-rss:{residentKib:integer}kB'],
  },
  {
    ...shared,
    format: 'kernel-oom-kill',
    anchors: ['out of memory: kill', 'killed process'],
    start:
      '(?:out of memory:? Kill|Kill(?=ed process \\d{1,9}\\([^()]{1,40}\\),?(?:UID\\d{1,9},)?total-vm))(?:ed)? process {killedPid:integer} \\({killedName:name}\\)',
    fields: ['total-vm:{totalVmKib:integer}kB', 'anon-rss:{residentKib:integer}kB'],
  },
  {
    ...shared,
    format: 'kernel-oom-kill',
    anchors: ['invoked oom-killer', 'oom-kill:constraint', 'oom_reaper'],
    start:
      '(?:invoked oom-killer|oom-kill:constraint=\\w{1,30}|oom_reaper: reaped process {killedPid:integer})',
  },
  {
    ...shared,
    format: 'slurm-oom-kill',
    anchors: [
      'oom-kill event',
      'oom_kill event',
      'oom kill event',
      ': out of memory',
      'exceeded job memory limit',
      'exceeded memory limit',
      'out-of-memory handler',
      'term_memlimit',
      ': job killed: ',
    ],
    start:
      '(?:Detected (?!0 oom){events:integer} oom[-_]? kill events?|srun: error:.{1,80}? tasks? [\\d,-]{1,40}: Out Of Memory|Exceeded (?:job|step) memory limit|killed by the cgroup out-of-memory handler|TERM_MEMLIMIT|PBS: job killed: \\w{0,4}mem|slurmstepd: error:.{0,80}? exceeded.{0,12} memory limit)',
  },
  {
    ...shared,
    // Rust, Arrow and Java say that the process's own memory could not grow.
    format: 'native-allocator',
    anchors: ['memory allocation of', 'malloc of size', 'realloc of size', 'java.lang.outofmemoryerror'],
    start:
      '(?:(?<!device )memory allocation of {triedBytes:integer} bytes failed|(?:m|re)alloc of size {neededBytes:integer} failed|java\\.lang\\.OutOfMemoryError: )',
  },
  {
    ...shared,
    format: 'kubernetes-evicted',
    anchors: ['low on resource: memory'],
    start: 'node was low on resource: memory',
  },
  {
    ...shared,
    format: 'kernel-oom-kill',
    anchors: ['killed by the oom killer', "result 'oom-kill'"],
    start: "(?:process of this unit has been killed by the OOM killer|Failed with result 'oom-kill')",
  },
  {
    ...shared,
    format: 'memory-watch',
    anchors: [
      ' due to memory pressure for',
      ' due to memory used (',
      'at or below sigterm limits',
      'at or below sigkill limits',
    ],
    start:
      '(?:Killed /[\\w@.:/\\\\-]{1,300} due to memory (?:pressure for|used \\()|low memory! at or below SIG(?:TERM|KILL) limits)',
  },
  {
    ...shared,
    format: 'notebook-kernel-died',
    anchors: [
      'after using all available ram',
      'appears to have died',
      'kernel crashed while executing code',
      'deadkernelerror: ',
      'kernel died before replying',
      'spark driver has stopped',
      'kernelrestarter: restarting kernel',
    ],
    start:
      '(?:session crashed after using all available RAM|kernel(?: for [^ ]{1,80}?)? appears to have died\\. It will restart|Kernel crashed while executing code in the|DeadKernelError: Kernel died|Kernel died before replying to|spark driver has stopped unexpectedly|KernelRestarter: restarting kernel \\(1/)',
  },
  {
    ...shared,
    by: 'line',
    format: 'kubernetes-oom-killed',
    anchors: ['oomkilled', ' container oom '],
    start: '\\bcontainer oom [0-9a-f]{4,64} \\(|\\bOOMKilled\\b(?!["\'\\\\:= ]{1,6}(?:false|no|0)\\b)',
  },
  {
    ...shared,
    by: 'line',
    format: 'slurm-oom-kill',
    anchors: ['out_of_me'],
    start: '(?<![A-Z_])OUT_OF_ME(?:MORY|M?\\+)(?![A-Z_:])',
  },
  {
    ...shared,
    format: 'Ray-worker-died',
    anchors: ['killed by sigkill by oom killer'],
    start: 'The process is killed by SIGKILL by OOM killer due to high memory usage',
  },
  {
    ...shared,
    format: 'Ray-memory-monitor',
    anchors: ['running low on memory', 'due to memory pressure', 'system memory low at node', 'is used ('],
    start:
      '(?:killed due to the node running low on memory|killed due to memory pressure \\(OOM\\)|System memory low at node|More than \\d{1,3}% of the memory on node)',
    gap: 420,
    fields: ['was running was {hostUsedBytes:size}/{hostTotalBytes:size}'],
  },
  {
    ...shared,
    format: 'dataloader',
    anchors: ['by signal: killed', 'dataloader worker'],
    start:
      'DataLoader worker ?(?:\\(pid\\(?s?\\)?[ .:]{0,4}{workerPid:integer}?[^)]{0,20}\\))? is killed by signal: (?:Killed|SIGKILL|9\\b)',
  },
  {
    ...shared,
    // Workers of Hugging Face datasets; a compiler that ninja runs, one a processor.
    format: 'child-killed',
    anchors: ['subprocesses has abruptly died', 'killed signal terminated program'],
    start:
      '(?:One of the subprocesses has abruptly died during map operation|fatal error: Killed signal terminated program)',
  },
  {
    ...shared,
    format: 'dataloader-exited',
    anchors: ['exited unexpectedly'],
    start: 'DataLoader worker ?\\(pid\\(?s?\\)?[^()]{0,60}\\) exited unexpectedly',
  },
  {
    ...shared,
    format: [
      { name: 'elastic-2.1-bracket', when: /\[ERROR\]failed/ },
      { name: 'elastic-2.4-glog', when: /E\d{4}.{0,120}failed/ },
      { name: 'elastic-old', when: /(?:)/ },
    ],
    anchors: ['failed (exitcode: -9)', '(exitcode: -9)'],
    start: 'failed \\(exitcode: {exitCode:signed}(?<=-9)\\)',
    gap: 12,
    fields: ['local_rank: {localRank:integer}', '\\(pid: {pid:integer}\\)'],
  },
  {
    ...shared,
    format: 'elastic-summary',
    anchors: ['signal 9 (sigkill)', 'exitcode  : -9', 'exitcode: -9'],
    start:
      '(?:Signal 9 \\(SIGKILL\\) received by PID {pid:integer}|exitcode: {exitCode:signed}(?<=-9) \\(pid: {failedPid:integer}\\))',
  },
  {
    ...shared,
    format: 'deepspeed-launch',
    anchors: ['return code = -9', 'exits with return code'],
    start: 'exits with return code = {exitCode:signed}(?<=-9)(?!\\d)',
  },
  {
    ...shared,
    by: 'line',
    format: 'process-killed',
    anchors: [
      'sigkill',
      'code 137',
      'code (137)',
      'code:    137',
      'code: 137',
      'code=137',
      'exitcode=137',
      'status 137',
      'status: 137',
      'error 137',
      'code -9',
      'code: -9',
      'code=-9',
      'code-9',
      ': killed',
      'signal 9',
    ],
    start:
      'died with <Signals\\.SIGKILL: 9>|SIGKILL\\(-9\\)|terminated with (?:signal SIGKILL|exit code (?:-9|\\(137\\)))|(?:exit(?:ed)?|returned non-zero exit|finished)\\b.{0,20}?\\b(?:code|status)[:= (]{1,8}(?:137|-9)\\b|exit ?code[:= ]{0,3}-9\\b|exitCode=137\\b|srun: error: .{1,60} tasks? [\\d,-]{1,40}: Killed|terminated by signal 9\\b|Error 137\\s*$',
  },
  {
    ...shared,
    by: 'line',
    format: 'shell-killed',
    anchors: ['killed'],
    start:
      '^\\s{0,8}Killed\\s*$|^\\[\\d{1,3}\\] *[-+]? +(?:{pid:integer} +)?killed +\\S|: line \\d{1,6}: +{scriptPid:integer} Killed +\\S|^zsh: killed +\\S',
  },
];
