import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ListeningPorts } from '../../../../electron/sensing/listeningPorts';
import { facts, rankOf } from '../../shared/jobs/facts';
import { temporaryFolder } from './support';

const line = (port: number) =>
  `   0: 0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A 00000000:00000000\n`;

/** A /proc folder with the networks of some pids. */
function procWith(networks: Readonly<Record<number, readonly number[]>>): string {
  const folder = temporaryFolder();
  for (const [pid, ports] of Object.entries(networks)) {
    mkdirSync(path.join(folder, pid, 'net'), { recursive: true });
    writeFileSync(path.join(folder, pid, 'net/tcp'), ports.map(line).join(''));
  }
  return folder;
}

const rank = (pid: number, masterPort: number, cgroup: string | null = null) =>
  facts({ pid, environment: rankOf(0, 2, { masterPort }), cgroup });

it('sees a port that really listens, and no longer when it is closed', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const ports = new ListeningPorts('/proc');
  const asking = [rank(process.pid, port)];
  expect(ports.read(asking, 1000)?.has(port)).toBe(true);
  await new Promise((resolve) => server.close(resolve));
  expect(ports.read(asking, 5000)?.has(port)).toBe(true); // Not read again so soon.
  expect(ports.read(asking, 11_000)?.has(port)).toBe(false);
  onTestFinished(() => void server.close());
});

it('looks into the network of each container', () => {
  const folder = procWith({ 10: [29_500], 20: [22] });
  const inContainer = rank(10, 29_500, `/docker/${'a1'.repeat(32)}`);
  const read = new ListeningPorts(folder).read([inContainer, rank(20, 29_500)], 1000);
  expect([...(read ?? [])].sort()).toEqual([22, 29_500]);
});

it('reads a view that ranks share once, and no further than to the sockets that do not listen', () => {
  const folder = temporaryFolder();
  const established = '   9: 0100007F:0050 0100007F:C350 01 00000000:00000000\n';
  for (const pid of [10, 11, 12]) {
    mkdirSync(path.join(folder, String(pid), 'net'), { recursive: true });
    mkdirSync(path.join(folder, String(pid), 'ns'), { recursive: true });
    symlinkSync(pid === 12 ? 'net:[2]' : 'net:[1]', path.join(folder, String(pid), 'ns/net'));
    // After some thousand others, one that a whole reading would find.
    const text = line(29_500 + pid) + established.repeat(2000) + line(1);
    writeFileSync(path.join(folder, String(pid), 'net/tcp'), text);
  }
  const asking = [10, 11, 12].map((pid) => rank(pid, 29_500 + pid));
  const read = new ListeningPorts(folder).read(asking, 1000);
  expect([...(read ?? [])].sort()).toEqual([29_511, 29_512]);
});

/** What the file of a process's network says from now on. */
const listenOn = (folder: string, pid: number, ports: readonly number[]) =>
  writeFileSync(path.join(folder, String(pid), 'net/tcp'), ports.map(line).join(''));

it('reads again after ten seconds while all ports listen, and ever more rarely while one does not', () => {
  const folder = procWith({ 10: [29_500] });
  const ports = new ListeningPorts(folder);
  const listensAt = (seconds: number) => ports.read([rank(10, 29_500)], seconds * 1000)?.has(29_500);
  expect(listensAt(0)).toBe(true);
  listenOn(folder, 10, []);
  expect([9, 10].map(listensAt)).toEqual([true, false]);
  listenOn(folder, 10, [29_500]);
  // Looked at after 20, 40 and 60 seconds more.
  expect([29, 30].map(listensAt)).toEqual([false, true]);
  listenOn(folder, 10, []);
  expect([39, 40].map(listensAt)).toEqual([true, false]);
  for (const seconds of [60, 100, 160]) listensAt(seconds);
  listenOn(folder, 10, [29_500]);
  expect([219, 220].map(listensAt)).toEqual([false, true]);
});

it('reads at once when another port is asked for', () => {
  const folder = procWith({ 10: [29_500], 11: [29_501] });
  const ports = new ListeningPorts(folder);
  expect(ports.read([rank(10, 29_500)], 0)?.has(29_501)).toBe(false);
  const both = [rank(10, 29_500, `/docker/${'a1'.repeat(32)}`), rank(11, 29_501)];
  expect([...(ports.read(both, 1000) ?? [])].sort()).toEqual([29_500, 29_501]);
});

it('stops where all that is asked for was found', () => {
  const folder = procWith({ 10: [29_500, ...Array<number>(2000).fill(22), 80] });
  expect(new ListeningPorts(folder).read([rank(10, 29_500)], 0)?.has(80)).toBe(false);
  expect(new ListeningPorts(folder).read([rank(10, 29_501)], 0)?.has(80)).toBe(true);
});

it('knows nothing where nobody asks, or where nothing can be read', () => {
  const folder = procWith({ 10: [29_500] });
  expect(new ListeningPorts(folder).read([facts({ pid: 10 })], 1000)).toBeNull();
  expect(new ListeningPorts(folder).read([rank(30, 29_500)], 1000)).toBeNull();
});
