/**
 * Totals as published (safetensors totals and model cards) for configs written down with the fields that decide them:
 * `fixtures/configs/totals.json`.
 */
import { describe, expect, test } from 'vitest';
import { parameterCount } from '../../../../shared/model/inventory';
import { architectureOf, configs, textOf } from './fixtures';

interface Total {
  readonly name: string;
  readonly parameters: number;
  readonly config: object;
}

const totals = JSON.parse(textOf(configs, 'totals.json')) as readonly Total[];

describe('published totals', () => {
  test.each(totals)('$name: $parameters', ({ config, parameters }) => {
    expect(parameterCount(architectureOf(config))).toBe(parameters);
  });
});
