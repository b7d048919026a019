/**
 * Totals of configs written down with the fields that decide them: as published (safetensors totals and model cards) in
 * `fixtures/configs/totals.json`, and of small ones with fields left out, null or switched, counted by instantiating the class in
 * transformers 5.17 on the meta device, in `instantiated.json`.
 */
import { describe, expect, test } from 'vitest';
import { parameterCount } from '../../../../shared/model/inventory';
import { architectureOf, configs, textOf } from './fixtures';

interface Total {
  readonly name: string;
  readonly parameters: number;
  readonly config: object;
}

describe.each(['totals.json', 'instantiated.json'])('%s', (file) => {
  const totals = JSON.parse(textOf(configs, file)) as readonly Total[];

  test.each(totals)('$name: $parameters', ({ config, parameters }) => {
    expect(parameterCount(architectureOf(config))).toBe(parameters);
  });
});
