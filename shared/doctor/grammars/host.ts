import type { Grammar } from './grammar';

/** What bash prints for "Killed" in other languages: the translations of its message catalogue. */
const killedElsewhere = [
  '\u5df2\u6740\u6b7b', // zh-CN
  '\u5df2\u780d\u6389', // zh-TW
  '\u5f37\u5236\u7d42\u4e86', // ja
  '\uc8fd\uc5c8\uc74c', // ko
  'Get\u00f6tet',
  'Processus arr\u00eat\u00e9',
  'Terminado (killed)',
  'Ucciso',
  '\u0423\u0431\u0438\u0442\u043e',
  '\u0412\u0431\u0438\u0442\u043e',
  'Unicestwiony',
  'D\u00f6dad',
] as const;
/** As anchors are written: other letters keep their case. */
function withLowerAscii(word: string): string {
  return word.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
/** A shell's word on a line of its own, or with blanks between it and the command. */
function aloneOrBeforeCommand(word: string): readonly string[] {
  return [`\n${word}\n`, `\n${word}\r`, `\r${word}\n`, `${word}   `];
}
const killedWords = killedElsewhere.map((word) => word.replace(/[()]/g, '\\\\$&')).join('|');

/** Main memory: the kernel's OOM killer and its limits, and what is left of a process that was killed. */
const shared = { kind: 'host-oom', role: 'cause', story: 'host-oom' } as const;

export const hostGrammars = [
  {
    ...shared,
    format: 'cgroup-oom-kill',
    framework: null,
    vendor: null,
    examples: [
      'Memory cgroup out of memory: Killed process 629 (python) total-vm:14119556kB, anon-rss:6538204kB, file-rss:80652kB',
    ],
    anchors: ['memory cgroup out of memory'],
    start: 'Memory cgroup out of memory:? Kill(?:ed)? process {killedPid:integer} \\({killedName:name}\\)',
    fields: ['total-vm:{totalVmKib:integer}kB', 'anon-rss:{residentKib:integer}kB'],
  },
  {
    ...shared,
    format: 'kernel-oom-kill',
    framework: null,
    vendor: null,
    examples: [
      '[ 1203.4] Out of memory: Killed process 2081 (python) total-vm:91234567kB, anon-rss:61234567kB, file-rss:0kB',
    ],
    anchors: ['out of memory: kill', 'killed process'],
    start:
      '(?:out of memory:? Kill|Kill(?=ed process \\d{1,9}\\([^()]{1,40}\\),?(?:UID\\d{1,9},)?total-vm))(?:ed)? process {killedPid:integer} \\({killedName:name}\\)',
    fields: ['total-vm:{totalVmKib:integer}kB', 'anon-rss:{residentKib:integer}kB'],
  },
  {
    ...shared,
    format: 'kernel-oom-kill',
    framework: null,
    vendor: null,
    examples: ['python invoked oom-killer: gfp_mask=0xd0, order=0, oom_score_adj=0'],
    anchors: ['invoked oom-killer', 'oom-kill:constraint', 'oom_reaper'],
    start:
      '(?:invoked oom-killer|oom-kill:constraint=\\w{1,30}|oom_reaper: reaped process {killedPid:integer})',
  },
  {
    ...shared,
    format: 'kubernetes-evicted',
    framework: null,
    vendor: null,
    examples: [
      'The node was low on resource: memory. Threshold quantity: 100Mi, available: 81204Ki. Container trainer was using 61241292Ki, request is 0, has larger consumption of memory.',
    ],
    anchors: ['low on resource: memory'],
    start: 'node was low on resource: memory',
  },
  {
    ...shared,
    format: 'kernel-oom-kill',
    framework: null,
    vendor: null,
    examples: ["train.service: Failed with result 'oom-kill'."],
    anchors: ['killed by the oom killer', "result 'oom-kill'"],
    start: "(?:process of this unit has been killed by the OOM killer|Failed with result 'oom-kill')",
  },
  {
    ...shared,
    format: 'memory-watch',
    framework: null,
    vendor: null,
    examples: ['earlyoom[911]: low memory! at or below SIGTERM limits: mem 10.00%, swap 10.00%'],
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
    framework: null,
    vendor: null,
    examples: ['nbclient.exceptions.DeadKernelError: Kernel died'],
    anchors: [
      'appears to have died',
      'kernel crashed while executing code',
      'deadkernelerror: ',
      'kernel died before replying',
      'spark driver has stopped',
      'kernelrestarter: restarting kernel',
    ],
    start:
      '(?:kernel(?: for [^ ]{1,80}?)? appears to have died\\. It will restart|Kernel crashed while executing code in the|DeadKernelError: Kernel died|Kernel died before replying to|spark driver has stopped unexpectedly|KernelRestarter: restarting kernel \\(1/)',
  },
  {
    ...shared,
    by: 'line',
    format: 'kubernetes-oom-killed',
    framework: null,
    vendor: null,
    examples: ['Reason: OOMKilled'],
    anchors: ['oomkilled', ' container oom '],
    start: '\\bcontainer oom [0-9a-f]{4,64} \\(|\\bOOMKilled\\b(?!["\'\\\\:= ]{1,6}(?:false|no|0)\\b)',
  },
  {
    ...shared,
    format: 'Ray-worker-died',
    framework: 'ray',
    vendor: null,
    examples: [
      '(1) The process is killed by SIGKILL by OOM killer due to high memory usage. (2) ray stop --force is called.',
    ],
    anchors: ['killed by sigkill by oom killer'],
    start: 'The process is killed by SIGKILL by OOM killer due to high memory usage',
  },
  {
    ...shared,
    // Ray keeps its objects in shared memory of a size that it fixed at its start.
    format: 'Ray-object-store',
    framework: 'ray',
    vendor: null,
    examples: [
      'ray.exceptions.ObjectStoreFullError: Failed to put object ffff in object store because it is full. Object size is 4194304000 bytes.',
    ],
    anchors: ['objectstorefullerror', 'object store because it is full'],
    start: 'ObjectStoreFullError: |in object store because it is full',
    fields: ['Object size is {triedBytes:integer} bytes'],
  },
  {
    ...shared,
    format: 'Ray-memory-monitor',
    framework: 'ray',
    vendor: null,
    examples: [
      'ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.\nMemory on the node (IP: 10.0.0.1, ID: 59a) where the task (actor ID: 8c, name=RolloutWorker, pid=4009, memory used=41.30GB) was running was 60.92GB / 64.00GB (0.951875), which exceeds the memory usage threshold of 0.95.',
    ],
    anchors: ['running low on memory', 'due to memory pressure', 'system memory low at node', 'is used ('],
    start:
      '(?:killed due to the node running low on memory|killed due to memory pressure \\(OOM\\)|System memory low at node|More than \\d{1,3}% of the memory on node)',
    gap: 420,
    fields: ['was running was {hostUsedBytes:size}/{hostTotalBytes:size}'],
  },
  {
    ...shared,
    format: 'dataloader',
    framework: 'pytorch',
    vendor: null,
    examples: ['RuntimeError: DataLoader worker is killed by signal: Killed.'],
    anchors: ['by signal: killed', 'dataloader worker', 'dataloader process'],
    start:
      'DataLoader (?:worker|process) ?(?:\\(pid\\(?s?\\)?[ .:]{0,4}{workerPid:integer}?[^)]{0,20}\\))? (?:exited )?is killed by signal: (?:Killed|SIGKILL|9\\b)',
  },
  {
    ...shared,
    // Workers of Hugging Face datasets.
    format: 'child-killed',
    framework: null,
    vendor: null,
    examples: ['RuntimeError: One of the subprocesses has abruptly died during map operation.'],
    anchors: ['subprocesses has abruptly died'],
    start: 'One of the subprocesses has abruptly died during map operation',
  },
  {
    ...shared,
    // A compiler that ninja or setuptools run, one a processor.
    format: 'compiler-killed',
    framework: null,
    vendor: null,
    examples: [
      'c++: fatal error: Killed signal terminated program cc1plus',
      'g++: internal compiler error: Killed (program cc1plus)',
      "nvcc error   : 'cicc' died due to signal 9 (Kill signal)",
    ],
    anchors: ['killed signal terminated program', 'internal compiler error: killed', 'died due to signal 9'],
    start:
      '(?:fatal error: Killed signal terminated program|internal compiler error: Killed|died due to signal 9\\b)',
  },
  {
    ...shared,
    format: 'dataloader-exited',
    framework: 'pytorch',
    vendor: null,
    examples: ['RuntimeError: DataLoader worker (pid(s) 12345, 12346) exited unexpectedly'],
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
    framework: 'pytorch',
    vendor: null,
    examples: ['failed (exitcode: -9) local_rank: 0 (pid: 7)'],
    anchors: ['failed (exitcode: -9)', '(exitcode: -9)'],
    start: 'failed \\(exitcode: {exitCode:signed}(?<=-9)\\)',
    gap: 12,
    fields: ['local_rank: {localRank:integer}', '\\(pid: {pid:integer}\\)'],
  },
  {
    ...shared,
    format: 'elastic-summary',
    framework: 'pytorch',
    vendor: null,
    examples: ['exitcode  : -9 (pid: 4009)'],
    anchors: ['signal 9 (sigkill)', 'exitcode  : -9', 'exitcode: -9'],
    start:
      '(?:Signal 9 \\(SIGKILL\\) received by PID {pid:integer}|exitcode: {exitCode:signed}(?<=-9) \\(pid: {failedPid:integer}\\))',
  },
  {
    ...shared,
    format: 'deepspeed-launch',
    framework: 'deepspeed',
    vendor: null,
    examples: ['exits with return code = -9'],
    anchors: ['return code = -9', 'exits with return code'],
    start: 'exits with return code = {exitCode:signed}(?<=-9)(?!\\d)',
  },
  {
    ...shared,
    by: 'line',
    format: 'process-killed',
    framework: null,
    vendor: null,
    examples: ['exit code 137'],
    anchors: [
      'signals.sigkill',
      'sigkill(-9)',
      'code 137',
      'code (137)',
      'code:    137',
      'code: 137',
      'code=137',
      'exitcode=137',
      'status 137',
      'status: 137',
      'error 137',
      'exitcode 137',
      'signal sigkill',
      ' code -9',
      '(code -9',
      'exitcode -9',
      'code: -9',
      ' code=-9',
      '(code=-9',
      'exitcode=-9',
      'exit_code=-9',
      'returncode=-9',
      'exitcode-9',
      'exit code-9',
      ': killed',
      'signal 9',
    ],
    start:
      'died with <Signals\\.SIGKILL: 9>|SIGKILL\\(-9\\)|terminated with (?:signal SIGKILL|exit code (?:-9|\\(137\\)))|(?:exit(?:ed)?|returned non-zero exit|finished)\\b.{0,20}?\\b(?:code|status)[:= (]{1,8}(?:137|-9)\\b|exit ?code[:= ]{0,3}(?:-9|137)\\b|srun: error: .{1,60} tasks? [\\d,-]{1,40}: Killed|terminated by signal (?:9\\b|SIGKILL)|Error 137\\s*$',
  },
  {
    ...shared,
    by: 'line',
    format: 'shell-killed',
    framework: null,
    vendor: null,
    examples: ['Killed'],
    anchors: [
      ...['killed', ...killedElsewhere.map(withLowerAscii)].flatMap(aloneOrBeforeCommand),
      'zsh: killed',
      'killed (core',
    ],
    start: `^\\s{0,8}(?:Killed|${killedWords})(?: *\\(core dumped\\))?\\s*$|^\\[\\d{1,3}\\] *[-+]? +(?:{pid:integer} +)?(?:killed|${killedWords}) +\\S|: [^:\\d]{0,12}\\d{1,6}[^:\\d]{0,4}: +{scriptPid:integer} (?:Killed|${killedWords}) +\\S|^zsh: killed +\\S`,
  },
] as const satisfies readonly Grammar[];
