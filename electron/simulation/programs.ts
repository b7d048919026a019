/** Builders for the programs of scenes: what a launcher, its ranks and their workers look like in a process table. */
import type { SceneProgram } from './scene';

const always = (): boolean => true;

/** The Python of the virtual environment that simulated jobs run in; a link to `sh` stands there. */
export const python = '.venv/bin/python3';

type Given = Pick<SceneProgram, 'key' | 'command'> & Partial<SceneProgram>;

/** A program with the usual answers for what is not given. */
export function program(given: Given): SceneProgram {
  return {
    parent: null,
    shortName: null,
    environment: {},
    ownSession: false,
    openDevices: [],
    ignoresTerminate: false,
    aliveAt: always,
    ...given,
  };
}

export interface TorchrunJob {
  /** Prefix of the keys: `KEY.launcher`, `KEY.rank0`, `KEY.rank0.worker1`. */
  readonly key: string;
  readonly script: readonly string[];
  readonly gpuIndices: readonly number[];
  readonly masterPort: number;
  readonly workersPerRank: number;
  /** Every rank also holds the device files of these cards, as ranks without `set_device` do. */
  readonly strayDevices?: readonly number[];
  readonly launcherAliveAt?: (seconds: number) => boolean;
  readonly rankAliveAt?: (seconds: number) => boolean;
  readonly ignoresTerminate?: boolean;
}

/**
 * torchrun, one rank a card and its data-loader workers, with the environment that torchrun 2.x gives (recorded on a
 * real run) and each rank leading its own session.
 */
export function torchrunJob(job: TorchrunJob): readonly SceneProgram[] {
  const world = job.gpuIndices.length;
  const launcher = program({
    key: `${job.key}.launcher`,
    command: [
      'python3',
      '-m',
      'torch.distributed.run',
      `--nproc_per_node=${world}`,
      `--master_port=${job.masterPort}`,
      ...job.script,
    ],
    shortName: 'pt_elastic',
    environment: { OMP_NUM_THREADS: '1' },
    aliveAt: job.launcherAliveAt ?? job.rankAliveAt ?? always,
  });
  return [launcher, ...job.gpuIndices.flatMap((gpuIndex, rank) => rankWithWorkers(job, gpuIndex, rank))];
}

function rankWithWorkers(job: TorchrunJob, gpuIndex: number, rank: number): readonly SceneProgram[] {
  const key = `${job.key}.rank${rank}`;
  const command = [python, '-u', ...job.script];
  const openDevices = [...new Set([gpuIndex, ...(job.strayDevices ?? [])])];
  const lives = {
    aliveAt: job.rankAliveAt ?? always,
    ignoresTerminate: job.ignoresTerminate ?? false,
  };
  return [
    program({
      key,
      parent: `${job.key}.launcher`,
      command,
      environment: rankEnvironment(job, rank),
      ownSession: true,
      openDevices,
      ...lives,
    }),
    ...Array.from({ length: job.workersPerRank }, (_none, worker) =>
      program({
        key: `${key}.worker${worker}`,
        parent: key,
        command,
        shortName: 'pt_data_worker',
        openDevices,
        ...lives,
      }),
    ),
  ];
}

function rankEnvironment(job: TorchrunJob, rank: number): Readonly<Record<string, string>> {
  const world = String(job.gpuIndices.length);
  return {
    TORCHELASTIC_SIGNALS_TO_HANDLE: 'SIGTERM,SIGINT,SIGHUP,SIGQUIT',
    RANK: String(rank),
    GROUP_RANK: '0',
    LOCAL_RANK: String(rank),
    LOCAL_WORLD_SIZE: world,
    WORLD_SIZE: world,
    MASTER_ADDR: '127.0.0.1',
    MASTER_PORT: String(job.masterPort),
    TORCHELASTIC_RESTART_COUNT: '0',
    TORCHELASTIC_MAX_RESTARTS: '0',
    TORCHELASTIC_RUN_ID: 'none',
    TORCHELASTIC_USE_AGENT_STORE: 'True',
    TORCHELASTIC_ERROR_FILE: `/tmp/torchelastic_${job.key}/none_${job.masterPort}/attempt_0/${rank}/error.json`,
  };
}

/** The screen's programs, as every desktop shows them on the card that drives it. */
export const desktopPrograms: readonly SceneProgram[] = [
  program({ key: 'xorg', command: ['/usr/lib/xorg/Xorg', 'vt2'], shortName: 'Xorg' }),
  program({ key: 'gnome-shell', command: ['/usr/bin/gnome-shell', 'wayland'], shortName: 'gnome-shell' }),
];
