import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseMemoryInfo } from '../../../../shared/jobs/memoryInfo';

const text = `MemTotal:       131072000 kB
MemFree:         1048576 kB
MemAvailable:   98304000 kB
Buffers:          204800 kB
Cached:         90000000 kB
SwapCached:        10240 kB
SwapTotal:       8388604 kB
SwapFree:        6291452 kB
`;

it('takes what is not available for what is in use', () => {
  expect(parseMemoryInfo(text)).toEqual({
    memoryTotalBytes: 131_072_000 * 1024,
    memoryUsedBytes: 32_768_000 * 1024,
    memoryAvailableBytes: 98_304_000 * 1024,
    swapTotalBytes: 8_388_604 * 1024,
    swapUsedBytes: 2_097_152 * 1024,
  });
});

it('counts caches as available where an old kernel does not say', () => {
  const old = text.replace(/^MemAvailable.*\n/m, '');
  expect(parseMemoryInfo(old).memoryAvailableBytes).toBe((1_048_576 + 204_800 + 90_000_000) * 1024);
});

it('knows nothing of another text', () => {
  const nothing = {
    memoryTotalBytes: null,
    memoryUsedBytes: null,
    memoryAvailableBytes: null,
    swapTotalBytes: null,
    swapUsedBytes: null,
  };
  expect(parseMemoryInfo('')).toEqual(nothing);
  fc.assert(fc.property(fc.string(), (other) => parseMemoryInfo(other).memoryTotalBytes === null));
});
