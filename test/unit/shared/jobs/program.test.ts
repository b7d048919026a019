import { describe, expect, it } from 'vitest';
import { containerOf, programOf } from '../../../../shared/jobs/program';
import { facts } from './facts';

const of = (command: readonly string[], name = 'python3') => programOf(facts({ pid: 10, command, name }));

describe('what a process is, by its command line', () => {
  it.each([
    [['torchrun', '--nproc_per_node=2', 'train.py'], 'torchrun', 'train.py'],
    [
      ['/opt/env/bin/python3', '/opt/env/bin/torchrun', '--nproc-per-node', '2', 'src/train.py', '--lr', '1'],
      'torchrun',
      'train.py',
    ],
    [['python3', '-m', 'torch.distributed.run', '--nproc_per_node=2', 'job.py'], 'torchrun', 'job.py'],
    [['python', '-m', 'torch.distributed.launch', '--use_env', '-m', 'pkg.train'], 'torchrun', 'pkg.train'],
    [['python', '/usr/bin/accelerate', 'launch', 'finetune.py'], 'accelerate', 'finetune.py'],
    [['python', '/usr/bin/deepspeed', '--num_gpus', '4', 'train.py'], 'deepspeed', 'train.py'],
    [
      ['python', '-u', '-m', 'deepspeed.launcher.launch', '--world_info=e30=', 'train.py'],
      'deepspeed',
      'train.py',
    ],
    [['mpirun', '-np', '4', 'python', 'train.py'], 'mpi', 'train.py'],
    [['srun', 'python', 'train.py'], 'slurm', 'train.py'],
  ] as const)('%j is a launcher', (command, launcher, script) => {
    expect(of(command)).toEqual({ kind: 'launcher', launcher, script });
  });

  it.each([
    [['python3', 'train.py'], 'train.py'],
    [['python3.12', '-u', '-X', 'dev', '/home/a/train.py', '-m', 'x'], 'train.py'],
    [['python', '-m', 'project.train'], 'project.train'],
    [['python', '-c', 'import torch'], null],
    [['C:\\Python\\python.exe', 'D:\\run\\train.py'], 'train.py'],
  ] as const)('%j is a Python program', (command, script) => {
    expect(of(command)).toEqual({ kind: 'python', script });
  });

  it.each([
    [['python', '-m', 'ipykernel_launcher', '-f', '/run/kernel.json'], 'notebook'],
    [
      [
        'python',
        '-c',
        'from multiprocessing.spawn import spawn_main; spawn_main(5)',
        '--multiprocessing-fork',
      ],
      'spawned',
    ],
    [['python', '/usr/bin/jupyter-lab', '--no-browser'], 'service'],
    [['python', '/usr/bin/accelerate', 'config'], 'python'],
    [['-bash'], 'shell'],
    [['/bin/sh', '-c', 'python train.py'], 'shell'],
    [['/usr/lib/xorg/Xorg', ':0'], 'desktop'],
    [['tmux: server'], 'service'],
    [['./gpu_burn', '60'], 'other'],
  ] as const)('%j is a %s', (command, kind) => expect(of(command, '').kind).toBe(kind));

  it('goes by the short name where the command line cannot be read', () => {
    expect(programOf(facts({ pid: 1, command: null, name: 'gnome-shell' })).kind).toBe('desktop');
    expect(programOf(facts({ pid: 1, command: null, name: 'bash' })).kind).toBe('shell');
  });
});

describe('the container in a cgroup', () => {
  const id = 'a'.repeat(64);
  it.each([
    [`/system.slice/docker-${id}.scope`, id],
    [`/docker/${id}`, id],
    [`/kubepods.slice/kubepods-besteffort.slice/cri-containerd-${id}.scope`, id],
    [`/machine.slice/libpod-${id}.scope/container`, id],
    ['/lxc.payload.train/init.scope', 'train'],
    ['/user.slice/user-1000.slice/session-3.scope', null],
    [null, null],
  ])('%s', (cgroup, container) => expect(containerOf(cgroup)).toBe(container));
});
