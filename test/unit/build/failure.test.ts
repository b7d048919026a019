import { expect, test } from 'vitest';
import { systemFailure } from '../../../build/tools/failure.mjs';

const refusal = (code: string): Error =>
  Object.assign(new Error(`${code}: it failed`), { code, path: '/x/y' });

test.each([
  ['ENOSPC', /^the disk is full \(\/x\/y\)\. Free about 1 GB/],
  ['EROFS', /^the file system is read-only \(\/x\/y\)/],
  ['EACCES', /^permission denied \(\/x\/y\)/],
  ['EPERM', /^permission denied \(\/x\/y\)/],
])('%s is told in one line', (code, line) => {
  expect(systemFailure(refusal(code))).toMatch(line);
});

test('everything else is not a refusal of the system', () => {
  expect(systemFailure(refusal('EPIPE'))).toBeNull();
  expect(systemFailure(new Error('a fault'))).toBeNull();
  expect(systemFailure('text')).toBeNull();
});
