import { describe, expect, test } from 'vitest';
import { catalogue, catalogueEntry } from '../../../../shared/model/catalogue/catalogue';
import { parameterCount } from '../../../../shared/model/inventory';
import { architectureOf, configs, filesIn, warningsOf } from './fixtures';
import { readConfig } from '../../../../shared/families/readModel';

/** Counts as published or as `named_parameters` of the class has them. */
const counts: Readonly<Record<string, number>> = {
  'llama-2-7b': 6_738_415_616,
  'llama-2-13b': 13_015_864_320,
  'llama-2-70b': 68_976_648_192,
  'llama-3-8b': 8_030_261_248,
  'llama-3.1-8b': 8_030_261_248,
  'llama-3.1-70b': 70_553_706_496,
  'llama-3.2-1b': 1_235_814_400,
  'llama-3.2-3b': 3_212_749_824,
  'tinyllama-1.1b': 1_100_048_384,
  'codellama-7b': 6_738_546_688,
  'smollm-135m': 134_515_008,
  'olmo-2-32b': 32_234_279_936,
  'mistral-7b': 7_241_732_096,
  'mixtral-8x7b': 46_702_792_704,
  'mixtral-small': 3_579_037_696,
  'olmoe-1b-7b': 6_919_161_856,
  'deepseek-v3': 671_026_419_200,
  'gpt-oss-20b': 20_914_757_184,
  'qwen2.5-0.5b': 494_032_768,
  'qwen2.5-1.5b': 1_543_714_304,
  'qwen2.5-7b': 7_615_616_512,
  'qwen2.5-14b': 14_770_033_664,
  'qwen2.5-72b': 72_706_203_648,
  'qwen3-0.6b': 596_049_920,
  'qwen3-1.7b': 1_720_574_976,
  'qwen3-4b': 4_022_468_096,
  'qwen3-8b': 8_190_735_360,
  'qwen3-32b': 32_762_123_264,
  'qwen3-30b-a3b': 30_532_122_624,
  'gemma-2b': 2_506_172_416,
  'gemma2-2b': 2_614_341_888,
  'gemma2-27b': 27_227_128_320,
  't5-base': 222_903_552,
  'vit-base': 86_567_656,
  'vit-large': 304_326_632,
  gpt2: 124_439_808,
  'gpt2-medium': 354_823_168,
  'gpt2-xl': 1_557_611_200,
  'gpt-j-6b': 6_050_882_784,
  'pythia-1b': 1_011_781_632,
  'opt-1.3b': 1_315_758_080,
  'phi-2': 2_779_683_840,
  'phi-3-mini': 3_821_079_552,
  'phi-4-mini': 3_836_021_760,
  'falcon-7b': 6_921_720_704,
  'mpt-7b': 6_649_286_656,
  'starcoder2-7b': 7_173_923_840,
  'aya-23-8b': 8_028_033_024,
  'bert-base': 109_514_298,
  'bert-large': 335_174_458,
  'roberta-base': 124_697_433,
  'deberta-v3-base': 183_831_552,
  'bart-large': 406_291_456,
  'whisper-large-v3': 1_543_490_560,
};

describe('the catalogue', () => {
  test('names at least forty models, each once', () => {
    expect(catalogue.length).toBeGreaterThanOrEqual(40);
    expect(new Set(catalogue.map(({ id }) => id)).size).toBe(catalogue.length);
  });

  test('has every model that was measured', () => {
    const ids = filesIn(`${configs}/measured`).map((file) => file.replace(/\.json$/, ''));
    expect(ids.filter((id) => catalogueEntry(id) === null)).toEqual([]);
  });

  test.each(catalogue.map((entry) => [entry.id, entry] as const))('%s', (id, entry) => {
    expect(parameterCount(architectureOf(entry.config))).toBe(counts[id]);
    expect(warningsOf(readConfig(entry.config))).toEqual([]);
    if (id !== 'mixtral-small') expect(entry.source).toMatch(/^https:\/\/huggingface\.co\/.+\/config\.json$/);
  });

  test('finds an entry in any case, and none where there is none', () => {
    expect(catalogueEntry('GPT2')?.id).toBe('gpt2');
    expect(catalogueEntry('gpt-2')).toBeNull();
  });
});
