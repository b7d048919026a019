import { describe, expect, test } from 'vitest';
import { installCommand, installerFor, packagesFor } from '../../../build/setup/packages.mjs';

const known =
  (...names: readonly string[]) =>
  (name: string) =>
    Promise.resolve(names.includes(name));

describe('the installer of a system', () => {
  test.each([
    ['Debian', 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\nVERSION_ID="12"\n', 'apt'],
    ['Ubuntu', 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n', 'apt'],
    ['Mint', 'ID=linuxmint\nID_LIKE="ubuntu debian"\n', 'apt'],
    ['Fedora', 'NAME="Fedora Linux"\nID=fedora\n', 'dnf'],
    ['Rocky', 'ID="rocky"\nID_LIKE="rhel centos fedora"\n', 'dnf'],
    ['Manjaro', 'ID=manjaro\nID_LIKE=arch\n', 'pacman'],
    ['openSUSE', 'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n', 'zypper'],
    ['NixOS', 'ID=nixos\n', 'unknown'],
    ['no os-release', '', 'unknown'],
  ])('%s', (_system, osRelease, installer) => {
    expect(installerFor(osRelease)).toBe(installer);
  });
});

describe('the packages that hold what is missing', () => {
  test('the names of Debian 12', async () => {
    const exists = known('libgtk-3-0', 'libasound2', 'libgbm1', 'xvfb');
    const needs = ['libgtk-3.so.0', 'libasound.so.2', 'libgbm.so.1', 'Xvfb'];
    expect(await packagesFor('apt', needs, exists)).toEqual(['libgtk-3-0', 'libasound2', 'libgbm1', 'xvfb']);
  });

  test('the new names of Debian 13 and Ubuntu 24.04, where the old ones are ambiguous', async () => {
    const exists = known('libgtk-3-0t64', 'libasound2t64', 'libasound2');
    expect(await packagesFor('apt', ['libgtk-3.so.0', 'libasound.so.2'], exists)).toEqual([
      'libgtk-3-0t64',
      'libasound2t64',
    ]);
  });

  test('libraries that come with another one name its package once', async () => {
    const needs = ['libnss3.so', 'libnssutil3.so', 'libsmime3.so', 'libnspr4.so'];
    expect(await packagesFor('apt', needs, known('libnss3'))).toEqual(['libnss3']);
  });

  test('each name is asked for once, however many libraries need it', async () => {
    const asked: string[] = [];
    const exists = (name: string) => {
      asked.push(name);
      return Promise.resolve(name === 'libgtk-3-0');
    };
    const needs = ['libgtk-3.so.0', 'libX11.so.6', 'libxcb.so.1', 'libcairo.so.2'];
    expect(await packagesFor('apt', needs, exists)).toEqual(['libgtk-3-0']);
    expect(asked).toEqual(['libgtk-3-0t64', 'libgtk-3-0']);
  });

  test('an unknown library is left out', async () => {
    expect(await packagesFor('dnf', ['libnothing.so.9', 'libXss.so.1'], known())).toEqual(['libXScrnSaver']);
  });
});

describe('the command for a person', () => {
  test('with sudo for everyone but root', async () => {
    expect(await installCommand('apt', ['Xvfb'], false, known('xvfb'))).toBe(
      'Install with: sudo apt-get install --no-install-recommends xvfb',
    );
    expect(await installCommand('dnf', ['Xvfb'], true, known())).toBe(
      'Install with: dnf install xorg-x11-server-Xvfb',
    );
  });

  test('no command where the system or the package is unknown', async () => {
    const words = 'Install the packages of your system that hold them, then run the same command again.';
    expect(await installCommand('unknown', ['Xvfb'], false, known())).toBe(words);
    expect(await installCommand('pacman', ['libnothing.so.9'], false, known())).toBe(words);
  });
});
