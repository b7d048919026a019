import fc from 'fast-check';
import { expect, it } from 'vitest';
import { listensOn, parseListeningPorts, tellsOthers } from '../../../../shared/jobs/listeningPorts';

const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:733C 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 41822 1 0000000000000000 100 0 0 10 0
   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 20111 1 0000000000000000 100 0 0 10 0
   2: 0100007F:D2F0 0100007F:733C 01 00000000:00000000 02:00000A2B 00000000  1000        0 41840 2 0000000000000000 20 4 30 10 -1
`;
const table6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:7531 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 5153 1 0000000000000000 100 0 0 10 0
`;

it('takes the ports of sockets that listen, not those that are connected to', () =>
  expect(parseListeningPorts(table)).toEqual([29_500, 22]));

it('reads the longer addresses of tcp6', () => expect(parseListeningPorts(table6)).toEqual([30_001]));

it('tells when the sockets that listen are over', () => {
  expect(tellsOthers(table)).toBe(true);
  expect(tellsOthers(table6)).toBe(false);
  const lines = table.split('\n');
  expect(tellsOthers(lines.slice(0, 3).join('\n') + '\n   2: 0100007F:D2F0 0100')).toBe(false); // Cut in its line.
  expect(tellsOthers('')).toBe(false);
});

it('finds nothing in no table', () => {
  expect(parseListeningPorts('')).toEqual([]);
  fc.assert(
    fc.property(fc.string(), (text) => parseListeningPorts(text).every((port) => port >= 0 && port < 65_536)),
  );
});

it('looks for a single port among those that listen', () => {
  expect([29_500, 22, 54_000, 80].map((port) => listensOn(table, port))).toEqual([true, true, false, false]);
  expect([30_001, 1].map((port) => listensOn(table6, port))).toEqual([true, false]);
});
