/**
 * Where a program ran, and how one asks there for more host memory, looks at it, finds who ended a process, and makes
 * /dev/shm larger. One row each; null: there is no such command. A text can show several (a container on WSL).
 */
export interface PlaceRow {
  readonly name: string;
  readonly sign: RegExp;
  readonly moreHostMemory: string | null;
  readonly whoKilled: string | null;
  readonly showHostMemory: string | null;
  readonly largerSharedMemory: string | null;
}

const places = [
  {
    // https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
    name: 'kubernetes',
    sign: /\bkubernetes\b|\bK8s\b|\bkubelet\b|\bkubectl\b|\bpods?\b[/: ]|\bOOMKilled\b|kubepods/i,
    moreHostMemory: 'resources: {limits: {memory: …Gi}}',
    whoKilled: 'kubectl describe pod POD | grep -A5 "Last State"',
    showHostMemory: 'kubectl top pod POD',
    largerSharedMemory: 'emptyDir: {medium: Memory, sizeLimit: 16Gi}',
  },
  {
    // https://slurm.schedmd.com/sbatch.html, https://slurm.schedmd.com/sacct.html
    name: 'slurm',
    sign: /\bslurm|\bsrun\b|\bsbatch\b|StepId=|\bSBATCH\b|OUT_OF_ME/i,
    moreHostMemory: '#SBATCH --mem=…G',
    whoKilled: 'sacct -j JOBID --format=JobID,State,ExitCode,MaxRSS,ReqMem',
    showHostMemory: 'sstat -j JOBID --format=JobID,MaxRSS',
    largerSharedMemory: null,
  },
  {
    // https://www.ibm.com/docs/en/spectrum-lsf
    name: 'lsf',
    sign: /\bTERM_(?:MEMLIMIT|OWNER|RUNLIMIT|SWAP)|\bbsub\b|\bLSF\b/,
    moreHostMemory: '#BSUB -M …GB -R "rusage[mem=…GB]"',
    whoKilled: 'bhist -l JOBID',
    showHostMemory: 'bjobs -l JOBID',
    largerSharedMemory: null,
  },
  {
    // https://openpbs.org
    name: 'pbs',
    sign: /\bPBS\b|\bqsub\b|\bqstat\b/,
    moreHostMemory: '#PBS -l select=1:mem=…gb',
    whoKilled: 'qstat -xf JOBID',
    showHostMemory: 'qstat -f JOBID',
    largerSharedMemory: null,
  },
  {
    // https://htcondor.readthedocs.io
    name: 'htcondor',
    sign: /\bHTCondor\b|\bcondor_\w+|\bcondor_exec|SYSTEM_PERIODIC_/,
    moreHostMemory: 'request_memory = …GB',
    whoKilled: 'condor_history -l JOBID | grep -i -e HoldReason -e MemoryUsage',
    showHostMemory: 'condor_ssh_to_job JOBID free -h',
    largerSharedMemory: null,
  },
  {
    name: 'sagemaker',
    sign: /\bsagemaker\b|\bAlgorithmError\b|\/opt\/ml\//i,
    moreHostMemory: 'instance_type="ml.…"',
    whoKilled: null,
    showHostMemory: null,
    largerSharedMemory: null,
  },
  {
    name: 'colab',
    sign: /\bcolab\b|\/content\/|session crashed after using all available RAM/i,
    moreHostMemory: null,
    whoKilled: null,
    showHostMemory: '!free -h',
    largerSharedMemory: null,
  },
  {
    name: 'kaggle',
    sign: /\bkaggle\b|\/kaggle\//i,
    moreHostMemory: null,
    whoKilled: null,
    showHostMemory: '!free -h',
    largerSharedMemory: null,
  },
  {
    // https://docs.docker.com/engine/containers/resource_constraints/
    name: 'docker',
    sign: /\bdocker\b|containerd|\bcontainer\b|\bpodman\b|\/\.dockerenv/i,
    moreHostMemory: 'docker run --memory=…g',
    whoKilled: "docker inspect --format '{{.State.OOMKilled}}' CONTAINER",
    showHostMemory: 'docker stats --no-stream',
    largerSharedMemory: 'docker run --shm-size=16g',
  },
  {
    // https://learn.microsoft.com/windows/wsl/wsl-config
    name: 'wsl',
    sign: /\bWSL2?\b|microsoft-standard|\/mnt\/[c-f]\/|\/usr\/lib\/wsl/,
    moreHostMemory: '%UserProfile%\\.wslconfig: [wsl2] memory=…GB',
    whoKilled: 'sudo dmesg -T | grep -i -e "killed process" -e oom',
    showHostMemory: 'free -h',
    largerSharedMemory: 'sudo mount -o remount,size=16g /dev/shm',
  },
  {
    name: 'macos',
    sign: /\/Users\/\w|\/opt\/homebrew\/|\bmacOS\b|\bDarwin\b|\bmemorystatus\b|libc\+\+abi|\bMPS backend\b|\[METAL\]|jetsam/i,
    moreHostMemory: null,
    whoKilled: 'log show --last 1h --predicate \'eventMessage contains "memorystatus"\'',
    showHostMemory: 'memory_pressure',
    largerSharedMemory: null,
  },
  {
    name: 'windows',
    sign: /\b[A-Za-z]:\\{1,2}\w|WinError|os error 1455|\.dll\b|\.exe\b|popen_spawn_win32|\bWindows\b/,
    moreHostMemory: null,
    whoKilled: null,
    showHostMemory: null,
    largerSharedMemory: null,
  },
  {
    name: 'notebook',
    sign: /\bCell In ?\[|\bInput In ?\[|<ipython-input-|\bipykernel\b|\bjupyter\b/i,
    moreHostMemory: null,
    whoKilled: null,
    showHostMemory: '!free -h',
    largerSharedMemory: null,
  },
  {
    // The general case, without a sign of its own. https://docs.kernel.org/admin-guide/mm/concepts.html
    name: 'linux',
    sign: /^/,
    moreHostMemory: null,
    whoKilled: 'sudo dmesg -T | grep -i -e "killed process" -e oom',
    showHostMemory: 'free -h',
    largerSharedMemory: 'sudo mount -o remount,size=16g /dev/shm',
  },
] as const satisfies readonly PlaceRow[];

export type Platform = (typeof places)[number]['name'];

export const placeRows: readonly (PlaceRow & { readonly name: Platform })[] = places;
