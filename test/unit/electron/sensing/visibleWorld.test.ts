import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { hidesProcesses, readVisibleWorld } from '../../../../electron/sensing/visibleWorld';
import { temporaryFolder } from './support';

const mount = (options: string, at = '/proc') => `22 27 0:21 / ${at} rw,relatime - proc proc ${options}\n`;
const user = 'Gid:\t100\t100\t100\t100\nGroups:\t100 27 \nCapEff:\t0000000000000000\n';
const root = 'Gid:\t0\t0\t0\t0\nGroups:\t\nCapEff:\t000001ffffffffff\n';

describe('hidepid', () => {
  it.each<[string, string, string, boolean]>([
    ['nothing', 'rw', user, false],
    ['0', 'rw,hidepid=0', user, false],
    ['off', 'rw,hidepid=off', user, false],
    ['1', 'rw,hidepid=1', user, true],
    ['2', 'rw,hidepid=2', user, true],
    ['by its name', 'rw,gid=5,hidepid=invisible', user, true],
    ['2 for a member of its group', 'rw,gid=27,hidepid=2', user, false],
    ['2 for one whose own group it is', 'rw,gid=100,hidepid=2', user, false],
    ['ptraceable, which knows no group', 'rw,gid=27,hidepid=ptraceable', user, true],
    ['2 for root', 'rw,hidepid=2', root, false],
    [
      '2 for a root who may not trace',
      'rw,hidepid=2',
      root.replace(/CapEff:.*/, 'CapEff:\t00000000a80425fb'),
      true,
    ],
  ])('%s', (_what, options, status, hides) =>
    expect(hidesProcesses(mount(options), status, '/proc')).toBe(hides),
  );

  it('counts as it was mounted last, and as hidden where no mount says', () => {
    expect(hidesProcesses(mount('rw') + mount('rw,hidepid=2'), user, '/proc')).toBe(true);
    expect(hidesProcesses(mount('rw,hidepid=2') + mount('rw'), user, '/proc')).toBe(false);
    expect(hidesProcesses(mount('rw', '/other/proc'), user, '/proc')).toBe(true);
    expect(hidesProcesses('', user, '/proc')).toBe(true);
  });
});

describe('what can be seen', () => {
  function proc(namespace: string): string {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'self/ns'), { recursive: true });
    mkdirSync(path.join(folder, '1'));
    symlinkSync(namespace, path.join(folder, 'self/ns/pid'));
    writeFileSync(path.join(folder, 'self/status'), user);
    writeFileSync(path.join(folder, 'self/mountinfo'), mount('rw', folder));
    writeFileSync(path.join(folder, '1/cmdline'), '/sbin/init\0');
    return folder;
  }
  const first = 'pid:[4026531836]';
  const seen = (folder: string) => {
    const { hidden, hasMachineInit } = readVisibleWorld(folder);
    return [[...hidden], hasMachineInit];
  };

  it('is all of a machine from its first namespace', () => expect(seen(proc(first))).toEqual([[], true]));
  it('is not the machine from another one', () =>
    expect(seen(proc('pid:[4026532000]'))).toEqual([['otherNamespaces'], false]));
  it.each<[string, (folder: string) => void, readonly unknown[]]>([
    ['pid 1', (folder) => rmSync(path.join(folder, '1'), { recursive: true }), [['otherUsers'], true]],
    ['the mounts', (folder) => rmSync(path.join(folder, 'self/mountinfo')), [['otherUsers'], true]],
    ['the namespace', (folder) => rmSync(path.join(folder, 'self/ns/pid')), [['otherNamespaces'], false]],
  ])('is not all where %s cannot be read', (_what, change, expected) => {
    const folder = proc(first);
    change(folder);
    expect(seen(folder)).toEqual(expected);
  });
});
