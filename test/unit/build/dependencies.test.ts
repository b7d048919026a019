import { describe, expect, test } from 'vitest';
import { whyOutdated } from '../../../build/setup/dependencies.mjs';

const wanted = {
  '': { version: '0.1.0' },
  'node_modules/vite': { version: '8.3.8', integrity: 'sha512-a' },
  'node_modules/fsevents': { version: '2.3.3', integrity: 'sha512-b', optional: true },
};

describe('whether an install is needed', () => {
  test('nothing installed', () => {
    expect(whyOutdated(wanted, null)).toBe('node_modules is missing');
  });

  test('everything installed, but for an optional package of another system', () => {
    const installed = { 'node_modules/vite': { version: '8.3.8', integrity: 'sha512-a' } };
    expect(whyOutdated(wanted, installed)).toBeNull();
  });

  test('more installed than locked does not matter', () => {
    const installed = { ...wanted, 'node_modules/extra': { version: '1.0.0', integrity: 'sha512-c' } };
    expect(whyOutdated(wanted, installed)).toBeNull();
  });

  test('another version', () => {
    const installed = { 'node_modules/vite': { version: '8.4.0', integrity: 'sha512-z' } };
    expect(whyOutdated(wanted, installed)).toBe('node_modules/vite is not the locked version');
  });

  test('the same version with other contents', () => {
    const installed = { 'node_modules/vite': { version: '8.3.8', integrity: 'sha512-z' } };
    expect(whyOutdated(wanted, installed)).toBe('node_modules/vite is not the locked version');
  });

  test('an optional package that is there in another version', () => {
    const installed = { ...wanted, 'node_modules/fsevents': { version: '1.0.0', integrity: 'sha512-c' } };
    expect(whyOutdated(wanted, installed)).toBe('node_modules/fsevents is not the locked version');
  });
});
