import { expect, test } from 'vitest';
import { checkNode } from '../../../build/setup/node.mjs';

test.each(['20.19.0', '20.20.2', '22.12.0', '24.0.1', '26.1.0'])('takes Node %s', (version) => {
  expect(() => checkNode(version)).not.toThrow();
});

test.each(['18.20.4', '20.18.3', '16.0.0', '8.17.0', ''])('refuses Node "%s" in one line', (version) => {
  expect(() => checkNode(version)).toThrow(/^this is Node .*, but 20\.19 or newer is needed\. .*$/);
});
