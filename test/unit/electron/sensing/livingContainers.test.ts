import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { LivingContainers } from '../../../../electron/sensing/livingContainers';
import { keptContainer } from '../../../../shared/jobs/containers';
import { wholeWorld } from '../../../../shared/jobs/world';
import { facts } from '../../shared/jobs/facts';
import { temporaryFolder } from './support';

const docker = 'a1'.repeat(32);
const podman = 'b2'.repeat(32);

/** A /proc folder with the short names and command lines of some pids. */
function procWith(programs: Readonly<Record<number, readonly [string, readonly string[]]>>): string {
  const folder = temporaryFolder();
  for (const [pid, [name, command]] of Object.entries(programs)) {
    mkdirSync(path.join(folder, pid), { recursive: true });
    writeFileSync(path.join(folder, pid, 'comm'), `${name}\n`);
    writeFileSync(path.join(folder, pid, 'cmdline'), command.map((word) => `${word}\0`).join(''));
  }
  return folder;
}

const inDocker = facts({ pid: 9, cgroup: `/system.slice/docker-${docker}.scope` });

it('names the containers that a process keeps, and reads again after ten seconds', () => {
  const folder = procWith({
    10: ['containerd-shim', ['/usr/bin/containerd-shim-runc-v2', '-namespace', 'moby', '-id', docker]],
    11: ['conmon', ['/usr/bin/conmon', '--api-version', '1', '-c', podman]],
    12: ['python3', ['python3', 'train.py', 'c3'.repeat(32)]],
  });
  const containers = new LivingContainers(folder);
  expect([...(containers.read([inDocker], wholeWorld, 1000) ?? [])].sort()).toEqual([docker, podman]);
  writeFileSync(path.join(folder, '10/comm'), 'gone\n');
  expect(containers.read([inDocker], wholeWorld, 9000)?.has(docker)).toBe(true);
  expect(containers.read([inDocker], wholeWorld, 11_000)?.has(docker)).toBe(false);
});

it('is not asked where no process is in such a container, nor from inside of one', () => {
  const containers = new LivingContainers(procWith({}));
  expect(containers.read([facts({ pid: 9 })], wholeWorld, 1000)).toBeNull();
  expect(
    containers.read([inDocker], { ...wholeWorld, hidden: new Set(['otherNamespaces']) }, 1000),
  ).toBeNull();
});

it.each([
  [`/docker/${docker}`, docker],
  [`/system.slice/docker-${docker}.scope`, docker],
  [`/machine.slice/libpod-${podman}.scope/container`, podman],
  [`/kubepods/burstable/pod1/${docker}`, null],
  [`/kubepods.slice/cri-containerd-${docker}.scope`, null],
  ['/user.slice/session-3.scope', null],
  [null, null],
])('the container of %s', (cgroup, expected) => expect(keptContainer(cgroup)).toBe(expected));
