/**
 * Process tables of leftovers that people reported in public issues, typed from what they describe: who was there, what
 * nvidia-smi showed, and what should have been ended. Reports about programs of other systems or about no process are
 * not among them.
 */
import type { GpuHold } from '../../../../../shared/jobs/assembleJob';
import type { JobVerdict, ProcessFacts, ProcessState, Unreadable } from '../../../../../shared/jobs/types';
import { facts, GiB, hold, noRank, rankOf } from '../facts';

export interface Report {
  /** What happened, and where it was reported. */
  readonly what: string;
  readonly table: readonly ProcessFacts[];
  readonly holds: readonly GpuHold[];
  /** The verdict on the job that holds `subject`. */
  readonly subject: number;
  readonly verdict: JobVerdict;
  /** Pids of that job that would be ended; where nothing is offered, none. */
  readonly ends: readonly number[];
  /** Seconds for which the table has looked like this. */
  readonly after?: number;
  readonly livingContainers?: readonly string[];
}

const device = (...minors: readonly number[]): readonly string[] => [
  '/dev/nvidiactl',
  '/dev/nvidia-uvm',
  ...minors.map((minor) => `/dev/nvidia${minor}`),
];
const still = { cpuPercent: 0, cpuSeconds: 100 } as const;
const container = 'c0ffee'.padEnd(64, '0');
const docker = { cgroup: `/system.slice/docker-${container}.scope` };
const gone: readonly Unreadable[] = [{ facts: 'process', reason: 'gone' }];
const elsewhere: readonly Unreadable[] = [{ facts: 'process', reason: 'otherNamespace' }];
const unseen = {
  startTime: null,
  uid: null,
  user: null,
  parentPid: null,
  command: null,
  environment: null,
  openDevices: null,
  startedAt: null,
  state: 'unknown' as ProcessState,
};
const spawnMain = [
  'python3',
  '-c',
  'from multiprocessing.spawn import spawn_main; spawn_main()',
  '--multiprocessing-fork',
];

export const reports: readonly Report[] = [
  {
    what: 'the main pid was killed, its forked workers keep the card, nvidia-smi lists nobody (pytorch#5736)',
    table: [70, 71].map((pid) =>
      facts({ pid, processGroup: 69, session: 60, openDevices: device(0), ...still }),
    ),
    holds: [],
    subject: 70,
    verdict: 'stale',
    ends: [70, 71],
    after: 90,
  },
  {
    what: 'the same in the first moment: not proven yet',
    table: [facts({ pid: 70, openDevices: device(0), ...still })],
    holds: [],
    subject: 70,
    verdict: 'healthy',
    ends: [],
  },
  {
    what: 'mp.spawn with daemon=False, Ctrl-C: some ranks stay (pytorch#14394)',
    table: [71, 73].map((pid) => facts({ pid, command: spawnMain, processGroup: 70, session: 70 })),
    holds: [hold(71, 0), hold(73, 1)],
    subject: 73,
    verdict: 'stale',
    ends: [71, 73],
  },
  {
    what: 'data-loader workers of a cancelled Slurm job pin every card; the listed pid is dead (EgoVerse#682)',
    table: [
      facts({ pid: 500, ...unseen, name: '500', unreadable: gone }),
      ...[601, 602, 603].map((pid) =>
        facts({
          pid,
          name: 'pt_data_worker',
          processGroup: 500,
          session: 500,
          openDevices: device(0, 1, 2),
          environment: rankOf(0, 8, { slurmJobId: '77', slurmStepId: '0' }),
        }),
      ),
    ],
    holds: [hold(500, 0, 39 * GiB)],
    subject: 602,
    verdict: 'stale',
    ends: [601, 602, 603],
  },
  {
    what: 'a pid is listed that no process has (VisEdit#5): said, and never signalled',
    table: [facts({ pid: 500, ...unseen, name: '500', unreadable: gone })],
    holds: [hold(500, 6, 10 * GiB)],
    subject: 500,
    verdict: 'stale',
    ends: [],
    after: 20,
  },
  {
    what: 'a process that has just ended is still listed for a moment',
    table: [facts({ pid: 500, ...unseen, name: '500', unreadable: gone })],
    holds: [hold(500, 6, 10 * GiB)],
    subject: 500,
    verdict: 'healthy',
    ends: [],
    after: 2,
  },
  {
    what: 'NCCL hangs in the driver: state D, no reaction (pytorch#4293), the launcher lives',
    table: [
      facts({ pid: 20, parentPid: 10, command: ['python3', '/usr/bin/torchrun', 'train.py'] }),
      facts({ pid: 21, parentPid: 20, state: 'D', environment: rankOf(0, 2), ...still }),
      facts({ pid: 22, parentPid: 20, state: 'D', environment: rankOf(1, 2), ...still }),
    ],
    holds: [hold(21, 0), hold(22, 1)],
    subject: 21,
    verdict: 'healthy',
    ends: [],
    after: 120,
  },
  {
    what: 'the leader is a zombie, its child keeps the memory (mxnet#4242)',
    table: [
      facts({ pid: 30, state: 'Z', command: null, openDevices: [] }),
      facts({ pid: 31, parentPid: 30, openDevices: device(0), ...still }),
    ],
    holds: [{ ...hold(30, 0, 5 * GiB), name: 'Unknown Error' }],
    subject: 31,
    verdict: 'stale',
    ends: [31],
  },
  {
    what: 'a zombie that burns the processor in the driver (fairseq): nothing can be ended',
    table: [facts({ pid: 30, state: 'Z', command: null, openDevices: [] })],
    holds: [hold(30, 0, 5 * GiB)],
    subject: 30,
    verdict: 'stale',
    ends: [],
  },
  {
    what: 'vLLM’s engine core outlives its parent, under a title (vllm#34816)',
    table: [facts({ pid: 40, name: 'VLLM::EngineCor', command: ['VLLM::EngineCore'] })],
    holds: [hold(40, 0, 114 * GiB)],
    subject: 40,
    verdict: 'stale',
    ends: [40],
  },
  {
    what: 'the same under a server that lives',
    table: [
      facts({ pid: 39, parentPid: 10, command: ['python3', '/usr/bin/vllm', 'serve', 'model'] }),
      facts({ pid: 40, parentPid: 39, name: 'VLLM::EngineCor', command: ['VLLM::EngineCore'] }),
      facts({ pid: 41, parentPid: 40, name: 'VLLM::Worker_TP', command: ['VLLM::Worker_TP0'] }),
    ],
    holds: [hold(41, 0, 40 * GiB)],
    subject: 41,
    verdict: 'healthy',
    ends: [],
  },
  {
    what: 'docker rm -f removed the container and left its workers (vllm-omni#2317)',
    table: [40, 41].map((pid) =>
      facts({ pid, processGroup: 39, session: 39, command: ['VLLM::Worker'], ...docker }),
    ),
    holds: [hold(40, 0, 11 * GiB), hold(41, 1, 11 * GiB)],
    subject: 40,
    verdict: 'stale',
    ends: [40, 41],
    livingContainers: [],
  },
  {
    what: 'a program in a container that lives',
    table: [facts({ pid: 40, parentPid: 30, ...docker })],
    holds: [hold(40, 0)],
    subject: 40,
    verdict: 'healthy',
    ends: [],
    livingContainers: [container],
  },
  {
    what: 'a program in a container that does not',
    table: [facts({ pid: 40, ...docker })],
    holds: [hold(40, 0)],
    subject: 40,
    verdict: 'stale',
    ends: [40],
    livingContainers: ['b'.repeat(64)],
  },
  {
    what: 'a pod of Kubernetes: nobody keeps its containers one by one',
    table: [facts({ pid: 40, parentPid: 30, cgroup: `/kubepods.slice/cri-containerd-${container}.scope` })],
    holds: [hold(40, 0)],
    subject: 40,
    verdict: 'healthy',
    ends: [],
    livingContainers: [],
  },
  {
    what: 'inside a container nvidia-smi prints pids of the host (nvml, LXD): never signalled',
    table: [facts({ pid: 4711, ...unseen, name: '4711', unreadable: elsewhere })],
    holds: [hold(4711, 0)],
    subject: 4711,
    verdict: 'healthy',
    ends: [],
    after: 60,
  },
  {
    what: 'an interrupted notebook keeps its memory: its kernel lives',
    table: [
      facts({
        pid: 50,
        parentPid: 45,
        command: ['python3', '-m', 'ipykernel_launcher', '-f', '/run/user/1000/kernel-1.json'],
        ...still,
      }),
      facts({ pid: 45, command: ['/usr/bin/python3', '/usr/local/bin/jupyter-lab'] }),
    ],
    holds: [hold(50, 7, 8 * GiB)],
    subject: 50,
    verdict: 'idle',
    ends: [],
    after: 4000,
  },
  {
    what: 'the MPS server always holds 27 MB',
    table: [
      facts({ pid: 60, uid: 0, user: 'root', name: 'nvidia-cuda-mps', command: ['nvidia-cuda-mps-server'] }),
    ],
    holds: [hold(60, 0, 27 * 1024 ** 2)],
    subject: 60,
    verdict: 'idle',
    ends: [],
    after: 4000,
  },
  {
    what: 'accelerate’s launcher closed, the ranks run on (accelerate): seen from its environment',
    table: [0, 1].map((rank) =>
      facts({ pid: 70 + rank, environment: rankOf(rank, 2, { torchelasticRunId: 'none' }) }),
    ),
    holds: [hold(70, 0), hold(71, 1)],
    subject: 70,
    verdict: 'stale',
    ends: [70, 71],
  },
  {
    what: 'the same while the last checkpoint is being written',
    table: [0, 1].map((rank) =>
      facts({
        pid: 70 + rank,
        environment: rankOf(rank, 2, { torchelasticRunId: 'none' }),
        writesCheckpoint: rank === 0,
      }),
    ),
    holds: [hold(70, 0), hold(71, 1)],
    subject: 70,
    verdict: 'healthy',
    ends: [],
  },
  {
    what: 'the tree holds an MPI daemon, a test runner and a shell (TensorRT-LLM#16404): none of them is of the job',
    table: [
      facts({ pid: 10, command: ['bash'] }),
      facts({ pid: 11, parentPid: 10, command: ['python3', '-m', 'pytest', 'tests'] }),
      facts({ pid: 12, parentPid: 11, command: spawnMain, environment: noRank }),
      facts({ pid: 13, parentPid: 10, command: ['tmux: server'] }),
    ],
    holds: [hold(12, 0)],
    subject: 12,
    verdict: 'healthy',
    ends: [],
  },
  {
    what: 'ray::IDLE keeps a context while its raylet lives',
    table: [
      facts({ pid: 80, command: ['/usr/lib/ray/raylet', '--port=0'] }),
      facts({ pid: 81, parentPid: 80, name: 'ray::IDLE', command: ['ray::IDLE'], ...still }),
    ],
    holds: [hold(81, 0)],
    subject: 81,
    verdict: 'idle',
    ends: [],
    after: 600,
  },
  {
    what: 'Ctrl-Z instead of Ctrl-C: stopped, the terminal is there',
    table: [facts({ pid: 90, parentPid: 12, state: 'T', terminal: 34816, ...still })],
    holds: [hold(90, 0)],
    subject: 90,
    verdict: 'idle',
    ends: [],
    after: 4000,
  },
  {
    what: 'ollama’s runner belongs to its service',
    table: [
      facts({
        pid: 91,
        parentPid: 9,
        command: ['/usr/bin/ollama', 'runner'],
        cgroup: '/system.slice/ollama.service',
      }),
    ],
    holds: [hold(91, 0)],
    subject: 91,
    verdict: 'healthy',
    ends: [],
  },
  {
    what: 'one of two ranks is left, nothing proves more',
    table: [facts({ pid: 95, parentPid: 12, environment: rankOf(1, 2), ...still })],
    holds: [hold(95, 1)],
    subject: 95,
    verdict: 'suspect',
    ends: [95],
    after: 90,
  },
  {
    what: 'the popular recipe: parent 1 is no proof for a job under nohup, setsid or screen',
    table: [facts({ pid: 96, parentPid: 1, session: 96 })],
    holds: [hold(96, 0)],
    subject: 96,
    verdict: 'healthy',
    ends: [],
  },
  {
    what: 'Xorg and the one python on two cards: the desktop is never touched',
    table: [facts({ pid: 97, uid: 0, user: 'root', name: 'Xorg', command: ['/usr/lib/xorg/Xorg', ':0'] })],
    holds: [{ ...hold(97, 0), type: 'G' }],
    subject: 97,
    verdict: 'healthy',
    ends: [],
  },
  {
    what: 'Sigabrt in the main process, its forked loaders stay (oneflow)',
    table: [98, 99].map((pid) =>
      facts({ pid, name: 'pt_data_worker', processGroup: 90, session: 90, openDevices: device(0) }),
    ),
    holds: [],
    subject: 98,
    verdict: 'stale',
    ends: [98, 99],
  },
  {
    what: 'sglang’s scheduler under its title, its parent dead',
    table: [facts({ pid: 101, name: 'sglang::schedul', command: ['sglang::scheduler_TP0'] })],
    holds: [hold(101, 0)],
    subject: 101,
    verdict: 'stale',
    ends: [101],
  },
  {
    what: 'somebody else’s leftover: seen, and left to them',
    table: [facts({ pid: 102, uid: 1001, user: 'bob', command: spawnMain })],
    holds: [hold(102, 0)],
    subject: 102,
    verdict: 'stale',
    ends: [],
  },
  {
    what: 'in-process training of a node editor: it is the program itself that lives',
    table: [facts({ pid: 103, parentPid: 12, command: ['python3', 'main.py', '--listen'], ...still })],
    holds: [hold(103, 0)],
    subject: 103,
    verdict: 'idle',
    ends: [],
    after: 900,
  },
];
