import { describe, expect, it } from 'vitest';
import { busyPercent, parseCpuTimes } from '../../../../electron/sensing/cpuLoad';

const stat = (line: string) => `${line}\ncpu0 1 2 3 4\ncpu1 1 2 3 4\nintr 12345 0\nbtime 1700000000\n`;

describe('the times of /proc/stat', () => {
  it('count waiting as idle, and guests once', () => {
    expect(parseCpuTimes(stat('cpu  100 20 30 800 50 5 5 10 90 7'))).toEqual({
      busy: 170,
      total: 1020,
      count: 2,
    });
  });
  it('of old kernels have fewer fields', () => {
    expect(parseCpuTimes('cpu  100 0 50 850\n')).toEqual({ busy: 150, total: 1000, count: 1 });
  });
  it('are null in another text', () => expect(parseCpuTimes('intr 1 2 3\n')).toBeNull());
});

describe('the busy share', () => {
  const times = (busy: number, total: number) => ({ busy, total, count: 1 });
  it('is that between two readings', () => expect(busyPercent(times(100, 1000), times(175, 1100))).toBe(75));
  it('is unknown where no time has passed or a counter went back', () => {
    expect(busyPercent(times(100, 1000), times(100, 1000))).toBeNull();
    expect(busyPercent(times(100, 1000), times(90, 1100))).toBeNull();
  });
});
