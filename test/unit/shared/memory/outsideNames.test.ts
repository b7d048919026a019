import { describe, expect, test } from 'vitest';
import { readModel } from '../../../../shared/families/readModel';
import { checkRequest, warningsOf } from '../../../../shared/memory/check';
import { readRequest, withCardMemory } from '../../../../shared/memory/request';
import { catalogueEntry } from '../../../../shared/model/catalogue/catalogue';
import { configText } from '../../../../shared/model/catalogue/configText';
import { MiB } from '../../../../shared/units';

type Reading = Extract<ReturnType<typeof readRequest>, { kind: 'request' }>;

function read(fields: Readonly<Record<string, unknown>>): Reading {
  const reading = readRequest(fields, { label: (key) => `--${key}`, timeline: false });
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  return reading;
}

function tinyllama() {
  const entry = catalogueEntry('tinyllama-1.1b');
  if (entry === null) throw new Error('no entry');
  const reading = readModel(configText(entry));
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  return reading.architecture;
}

describe('names that people bring', () => {
  test.each([
    ['optimizer', 'adamw_torch', 'adamw'],
    ['optimizer', 'adamw_torch_fused', 'adamw-fused'],
    ['optimizer', 'adamw_bnb_8bit', 'adamw-8bit'],
    ['optimizer', 'paged_adamw_8bit', 'paged-adamw-8bit'],
    ['precision', 'fp16', 'amp-fp16'],
    ['attention', 'flash_attention_2', 'flash'],
  ] as const)('%s %s becomes %s, and the answer says so', (key, given, own) => {
    const { request, warnings } = read({ [key]: given });
    expect(request.training[key]).toBe(own);
    expect(warnings).toEqual([{ key: 'memory.understood', values: { name: `--${key}`, value: given, own } }]);
  });

  test('our own names are taken without a word', () => {
    expect(read({ optimizer: 'adamw-8bit', precision: 'bf16', attention: 'flash' }).warnings).toEqual([]);
  });
});

describe("a card's name", () => {
  test.each([
    ['RTX4090', 24_564],
    ['4090', 24_564],
    ['A6000', 49_140],
    ['A100-SXM4-80GB', 80 * 1024],
    ['A100 40GB', 40 * 1024],
  ])('%s gives its memory, %d MiB', (card, mib) => {
    const { request, warnings } = withCardMemory(read({ card }));
    expect(request.cardMib).toEqual([mib]);
    expect(warnings).toMatchObject([{ key: 'memory.cardMemory', values: { bytes: mib * MiB } }]);
  });

  test('what is given counts, and a card that is sold in several sizes tells none', () => {
    expect(withCardMemory(read({ card: 'RTX4090', cardMib: 16_384 })).request.cardMib).toEqual([16_384]);
    expect(withCardMemory(read({ card: 'A100' })).request.cardMib).toEqual([]);
  });
});

describe('what a card cannot do', () => {
  test.each([
    [{ card: 'V100', precision: 'amp-bf16' }, ['memory.bf16OnOldCard']],
    [{ card: 'T4', precision: 'fp16', attention: 'flash' }, ['memory.flashOnOldCard']],
    [{ card: 'A100', precision: 'fp32', attention: 'flash' }, ['memory.flashInFp32']],
    [{ card: 'A100', precision: 'bf16', attention: 'flash' }, []],
  ])('%j: %j', (fields, keys) => {
    expect(warningsOf(tinyllama(), read(fields).request).map(({ key }) => key)).toEqual(keys);
  });
});

describe('layers that adapters go to', () => {
  test('those of other models are passed over with a word; none of this one is an error', () => {
    const some = read({ method: 'lora', loraTargets: ['q_proj', 'c_attn', 'q_attn'] }).request;
    expect(checkRequest(tinyllama(), some)).toBeNull();
    expect(warningsOf(tinyllama(), some)).toEqual([
      { key: 'memory.droppedTargets', values: { targets: 'c_attn, q_attn' } },
    ]);
    const none = read({ method: 'lora', loraTargets: ['c_attn', 'q_attn'] }).request;
    expect(checkRequest(tinyllama(), none)?.key).toBe('memory.unknownTarget');
  });
});
