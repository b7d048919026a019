import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseCgroup,
  parseCommand,
  parseIoBytes,
  parseProcStat,
  parseRankEnvironment,
  parseStatusUid,
} from '../../../../shared/jobs/procStat';

const recorded =
  '677 (python3) S 1 677 677 0 -1 4194560 145712 0 31 0 397 74 0 0 20 0 7 0 8366 19999141888 201966 18446744073709551615 4325376 7352253 140728938256064 0 0 0 0 16781312 2 0 0 0 17 5 0 0 0 0 0 10653128 12216448 848986112 140728938260792 140728938260831 140728938260831 140728938266587 0';

describe('a line of /proc/PID/stat', () => {
  it('is read as recorded on a rank whose launcher is dead', () => {
    expect(parseProcStat(recorded)).toEqual({
      pid: 677,
      name: 'python3',
      state: 'S',
      parentPid: 1,
      processGroup: 677,
      session: 677,
      terminal: 0,
      isKernelThread: false,
      cpuTicks: 397 + 74,
      startTime: 8366,
      residentPages: 201_966,
    });
  });

  it.each(['a) S 99 (b', ') R 1 1 1', 'tmux: server', '((', 'x)y(z '])(
    'takes the name %j as it is',
    (name) => {
      expect(parseProcStat(recorded.replace('(python3)', `(${name})`))).toMatchObject({
        name,
        parentPid: 1,
        startTime: 8366,
      });
    },
  );

  it('is refused when it is cut', () => {
    for (const length of [0, 3, 9, 20, 60])
      expect(parseProcStat(recorded.slice(0, length)), `first ${length} characters`).toBeNull();
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string({ maxLength: 400 }), (text) => void parseProcStat(text)));
    fc.assert(
      fc.property(fc.nat(recorded.length), fc.string(), (at, put) => {
        parseProcStat(recorded.slice(0, at) + put + recorded.slice(at));
      }),
    );
  });
});

describe('/proc/PID/cmdline', () => {
  it('is cut at its zero bytes, empty arguments kept', () => {
    expect(parseCommand('python3\0-u\0train.py\0--note\0\0--lr=1\0')).toEqual([
      'python3',
      '-u',
      'train.py',
      '--note',
      '',
      '--lr=1',
    ]);
  });
  it('is null where there is none, as for a zombie', () => expect(parseCommand('')).toBeNull());
  it('loses the blanks after a title that a program gave itself', () => {
    expect(parseCommand('ray::train_fn          \0')).toEqual(['ray::train_fn']);
  });
});

describe('the environment', () => {
  const environment = (values: Record<string, string>) =>
    parseRankEnvironment(
      Object.entries(values)
        .map(([name, value]) => `${name}=${value}\0`)
        .join(''),
    );

  it('tells a rank of torchrun, and the folder of its run', () => {
    expect(
      environment({
        RANK: '1',
        LOCAL_RANK: '1',
        WORLD_SIZE: '2',
        LOCAL_WORLD_SIZE: '2',
        MASTER_ADDR: '127.0.0.1',
        MASTER_PORT: '29500',
        TORCHELASTIC_RUN_ID: 'none',
        TORCHELASTIC_ERROR_FILE: '/tmp/torchelastic__8638xr8/none_nogh8pkn/attempt_0/1/error.json',
        CUDA_VISIBLE_DEVICES: '',
      }),
    ).toEqual({
      rank: 1,
      localRank: 1,
      worldSize: 2,
      localWorldSize: 2,
      masterAddress: '127.0.0.1',
      masterPort: 29_500,
      slurmJobId: null,
      slurmStepId: null,
      cudaVisibleDevices: '',
      torchelasticRunId: 'none',
      torchelasticRunFolder: '/tmp/torchelastic__8638xr8/none_nogh8pkn',
      headroomPlan: null,
    });
  });

  it('tells the plan that a launch script marked it with, and takes nothing else for one', () => {
    expect(environment({ HEADROOM_PLAN: '0123456789abcdef' }).headroomPlan).toBe('0123456789abcdef');
    for (const other of ['', '0123456789ABCDEF', '../etc/passwd', '0123456789abcdef0'])
      expect(environment({ HEADROOM_PLAN: other }).headroomPlan).toBeNull();
  });

  it('takes the ranks of MPI and of a Slurm step', () => {
    expect(
      environment({ OMPI_COMM_WORLD_RANK: '3', OMPI_COMM_WORLD_SIZE: '4', OMPI_COMM_WORLD_LOCAL_RANK: '1' }),
    ).toMatchObject({ rank: 3, worldSize: 4, localRank: 1 });
    expect(
      environment({
        SLURM_JOB_ID: '77',
        SLURM_STEP_ID: '0',
        SLURM_PROCID: '2',
        SLURM_NTASKS: '4',
        SLURM_LOCALID: '2',
      }),
    ).toMatchObject({ rank: 2, worldSize: 4, localRank: 2, slurmJobId: '77', slurmStepId: '0' });
  });

  it('makes no rank of a shell inside an allocation', () => {
    expect(environment({ SLURM_JOB_ID: '77', SLURM_PROCID: '0', SLURM_NTASKS: '4' }).rank).toBeNull();
    expect(
      environment({ SLURM_JOB_ID: '77', SLURM_STEP_ID: '0', SLURM_PROCID: '0', SLURM_NTASKS: '1' }).rank,
    ).toBeNull();
  });

  it('passes over what is no number', () => {
    expect(environment({ RANK: '-1', WORLD_SIZE: 'two', MASTER_PORT: '29500x' })).toMatchObject({
      rank: null,
      worldSize: null,
      masterPort: null,
    });
  });
});

describe('other files', () => {
  it('uid, bytes and cgroup', () => {
    expect(parseStatusUid('Name:\tpython3\nUid:\t1000\t1001\t1000\t1000\n')).toBe(1000);
    expect(parseStatusUid('Name:\tx\n')).toBeNull();
    expect(parseIoBytes('rchar: 100\nwchar: 20\nsyscr: 3\n')).toBe(120);
    expect(parseIoBytes('')).toBeNull();
    expect(parseCgroup('0::/system.slice/docker-abc.scope\n')).toBe('/system.slice/docker-abc.scope');
    expect(parseCgroup('12:cpu:/docker/abc\n1:name=systemd:/\n0::/\n')).toBe('/docker/abc');
    expect(parseCgroup('')).toBeNull();
  });
});
