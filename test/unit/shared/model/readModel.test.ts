import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mainStack } from '../../../../shared/model/summary';
import { parameterCount, parameterTensors } from '../../../../shared/model/inventory';
import { readModel } from '../../../../shared/families/readModel';
import { translate } from '../../../../shared/i18n/translate';
import { dataFolder } from '../../../data';
import {
  architectureOf,
  configs,
  filesIn,
  indexOf,
  reasonOf,
  textOf,
  warningsOf,
  type IndexRow,
} from './fixtures';

const published = `${configs}/published`;
const data = dataFolder();

/** The configs that the tests carry, and all of the data set where it is there. */
const folders = [
  { folder: published, index: path.join(published, 'index.tsv') },
  ...(data === null ? [] : [{ folder: `${data}/configs`, index: `${data}/configs/index.tsv` }]),
];

describe.each(folders)('published configs in $folder', ({ folder, index }) => {
  const rows: IndexRow[] = indexOf(readFileSync(index, 'utf8'));

  test.each(rows.filter(({ parameters }) => parameters !== null))('$file: $parameters', (row) => {
    expect(parameterCount(architectureOf(textOf(folder, row.file)))).toBe(row.parameters);
  });

  test.each(rows.filter(({ parameters }) => parameters === null))('$file is read or refused', (row) => {
    const reading = readModel(textOf(folder, row.file));
    if (reading.kind === 'refused') expect(translate('en', reading.reason)).not.toMatch(/^model\./);
    else expect(parameterCount(reading.architecture)).toBeGreaterThan(0);
  });
});

describe('what is measured', () => {
  test.each([
    ['bert-base.json', 109_514_298],
    ['gemma-2b.json', 2_506_172_416],
    ['gemma2-2b.json', 2_614_341_888],
    ['gpt2-xl.json', 1_557_611_200],
    ['llama-2-13b.json', 13_015_864_320],
    ['mistral-7b.json', 7_241_732_096],
    ['mixtral-small.json', 3_579_037_696],
    ['olmoe-1b-7b.json', 6_919_161_856],
    ['opt-1.3b.json', 1_315_758_080],
    ['phi-2.json', 2_779_683_840],
    ['phi-3-mini.json', 3_821_079_552],
    ['qwen2.5-0.5b.json', 494_032_768],
    ['t5-base.json', 222_903_552],
    ['tinyllama-1.1b.json', 1_100_048_384],
    ['vit-base.json', 86_567_656],
  ])('%s has %i parameters', (file, parameters) => {
    expect(parameterCount(architectureOf(textOf(`${configs}/measured`, file)))).toBe(parameters);
  });
});

const llama = {
  model_type: 'llama',
  architectures: ['LlamaForCausalLM'],
  hidden_size: 64,
  intermediate_size: 160,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  vocab_size: 100,
};

const without = (name: string): object =>
  Object.fromEntries(Object.entries(llama).filter(([key]) => key !== name));

describe('what is refused, and why', () => {
  test.each(['hidden_size', 'intermediate_size', 'num_hidden_layers', 'num_attention_heads', 'vocab_size'])(
    'a missing %s is named',
    (name) => {
      const reason = `The config has no "${name}", which is needed to know the size of the model.`;
      expect(reasonOf(without(name))).toBe(reason);
      expect(reasonOf({ ...llama, [name]: null })).toBe(reason);
    },
  );

  test('a value of the wrong kind is shown', () => {
    expect(reasonOf({ ...llama, hidden_size: 'big' })).toBe(
      '"hidden_size" should be a whole number from 1 up, but is "big".',
    );
    expect(reasonOf({ ...llama, num_attention_heads: -4 })).toBe(
      '"num_attention_heads" should be a whole number from 1 up, but is -4.',
    );
    expect(reasonOf({ ...llama, num_hidden_layers: 1e8 })).toBe(
      '"num_hidden_layers" should be a whole number from 1 to 2,000, but is 100,000,000.',
    );
    expect(reasonOf({ ...llama, tie_word_embeddings: 'yes' })).toBe(
      '"tie_word_embeddings" should be true or false, but is "yes".',
    );
  });

  test.each([
    ['', 'The file is empty. A Hugging Face config.json is expected.'],
    ['{"a": ', 'This is not JSON: it breaks at character 6. A Hugging Face config.json is expected.'],
    ['[1, 2]', 'A Hugging Face config.json is expected: one JSON object.'],
    ['null', 'A Hugging Face config.json is expected: one JSON object.'],
    [
      '{"lang_ids": [], "alignment_heads": []}',
      'This is not the config of a transformers model: it has neither "model_type" nor "architectures" nor the usual sizes; "hidden_size" is missing.',
    ],
    [
      '{"_class_name": "UNet2DConditionModel", "num_layers": 3}',
      'This is the config of a diffusers part (UNet2DConditionModel), not of a transformers model. Only transformers models can be read.',
    ],
  ])('%s', (text, reason) => {
    expect(reasonOf(text)).toBe(reason);
  });

  test('an unknown type without the usual fields, and one whose layers are no attention', () => {
    expect(reasonOf({ model_type: 'rwkv7', hidden_size: 64, num_hidden_layers: 2 })).toBe(
      'Models of type "rwkv7" cannot be read yet, and its config has no "num_attention_heads".',
    );
    expect(reasonOf({ ...llama, model_type: 'x', architectures: ['XForCausalLM'], state_size: 16 })).toBe(
      'Models of type "x" cannot be read yet: "state_size" tells of layers that are no ordinary attention.',
    );
  });
});

describe('the class decides what is counted', () => {
  const base = 100 * 64 + 2 * (4 * 64 * 64 + 3 * 64 * 160 + 2 * 64) + 64;
  test.each([
    [{ architectures: ['LlamaForCausalLM'] }, base + 100 * 64],
    [{ architectures: ['LlamaForCausalLM'], tie_word_embeddings: true }, base],
    [{ architectures: ['LlamaModel'] }, base],
    [{ architectures: null }, base],
    [{ architectures: ['LlamaForSequenceClassification'], num_labels: 3 }, base + 3 * 64],
    [{ architectures: ['LlamaForTokenClassification'], id2label: { 0: 'a', 1: 'b', 2: 'c' } }, base + 3 * 65],
    [{ num_key_value_heads: 1 }, base + 100 * 64 - 2 * 2 * 64 * 48],
    [{ head_dim: 32 }, base + 100 * 64 + 2 * 4 * 64 * 64],
    [{ attention_bias: true, mlp_bias: true }, base + 100 * 64 + 2 * (5 * 64 + 2 * 160)],
  ])('%j', (changes, parameters) => {
    expect(parameterCount(architectureOf({ ...llama, ...changes }))).toBe(parameters);
  });

  test('BERT keeps its pooler only where nothing else is said', () => {
    const bert = JSON.parse(textOf(`${configs}/measured`, 'bert-base.json')) as object;
    const count = (architectures: string[] | null): number =>
      parameterCount(architectureOf({ ...bert, architectures }));
    expect(count(null)).toBe(109_482_240);
    expect(count(['BertForMaskedLM'])).toBe(109_514_298);
    expect(count(['BertForSequenceClassification'])).toBe(109_483_778);
  });
});

describe('warnings', () => {
  const warned = (config: string | object): string[] =>
    warningsOf(readModel(typeof config === 'string' ? config : JSON.stringify(config)));

  test('none for an ordinary file', () => {
    expect(warned(llama)).toEqual([]);
  });

  test('text after the object', () => {
    expect(warned(`${JSON.stringify(llama)}\n\nmore`)).toEqual([
      'There is text after the end of the config; it was ignored.',
    ]);
  });

  test('an unknown type with the usual fields is read as the nearest block', () => {
    const unknown = { ...llama, model_type: 'newlm', architectures: ['NewLMForCausalLM'] };
    expect(warned(unknown)).toEqual([
      'The type "newlm" is not known; the model was read as "llama", whose fields it has.',
    ]);
    expect(parameterCount(architectureOf({ ...unknown, qkv_bias: true }))).toBe(
      parameterCount(architectureOf(unknown)) + 2 * 3 * 64,
    );
    expect(warned({ ...llama, model_type: 'kimi_k2_next', architectures: ['Qwen3ForCausalLM'] })).toEqual([
      'The type "kimi_k2_next" is not known; the model was read as "qwen3", whose fields it has.',
    ]);
  });

  test('the experts of an unknown type: as many and as wide as the file says, or none where it says so', () => {
    const count = (more: Readonly<Record<string, unknown>>): number =>
      parameterCount(architectureOf({ ...llama, model_type: 'newmoe', architectures: undefined, ...more }));
    const dense = count({});
    expect(count({ is_moe: false, num_experts: 4 })).toBe(dense);
    const wide = count({ num_experts: 4, moe_intermediate_size: 32 });
    expect(count({ n_routed_experts: 4, expert_ffn_hidden_size: 32 })).toBe(wide);
    expect(wide - count({ num_experts: 4, moe_intermediate_size: 16 })).toBe(
      4 * 3 * 16 * llama.hidden_size * llama.num_hidden_layers,
    );
  });

  test('quantised files, and layers for further tokens', () => {
    expect(
      warned({ ...llama, quantization_config: { quant_method: 'fp8' }, num_nextn_predict_layers: 2 }),
    ).toEqual([
      'The published weights are quantised (fp8); the parameters of the model itself are counted.',
      'The 2 layers for predicting further tokens are not part of this class and are not counted.',
    ]);
  });

  test('a nested model of unknown type: the language model alone', () => {
    const nested = {
      model_type: 'newvl',
      architectures: ['NewVLForConditionalGeneration'],
      text_config: llama,
    };
    expect(warned(nested)).toEqual([
      'Only the language model was read; the other parts of "newvl" are not known.',
    ]);
  });
});

describe('facts of the layers', () => {
  test('windows by layer: Gemma 2 alternates, EXAONE 4 spells its pattern, Qwen2 switches it off', () => {
    const windows = (file: string): (number | null)[] =>
      (mainStack(architectureOf(textOf(published, file)))?.layers ?? [])
        .slice(0, 4)
        .map(({ mixer }) => (mixer.kind === 'attention' ? mixer.window : -1));
    expect(windows('gemma-2-2b-it.json')).toEqual([4096, null, 4096, null]);
    expect(windows('EXAONE-4.0-32B.json')).toEqual([4096, 4096, 4096, null]);
    expect(windows('Qwen2.5-7B.json')).toEqual([null, null, null, null]);
    expect(windows('gpt-oss-20b.json')).toEqual([128, null, 128, null]);
  });

  test('key and value heads under their many names', () => {
    const heads = (file: string): number[] => {
      const mixer = mainStack(architectureOf(textOf(published, file)))?.layers.find(
        (layer) => layer.mixer.kind === 'attention',
      )?.mixer;
      return mixer?.kind === 'attention' ? [mixer.heads, mixer.keyValueHeads, mixer.headDim] : [];
    };
    expect(heads('gpt_bigcode-santacoder.json')).toEqual([16, 1, 128]);
    expect(heads('falcon-40b.json')).toEqual([128, 8, 64]);
    expect(heads('falcon-7b-REDUCED-8layers.json')).toEqual([71, 1, 64]);
    expect(heads('chatglm2-6b.json')).toEqual([32, 2, 128]);
    expect(heads('internlm-chat-7b.json')).toEqual([32, 32, 128]);
    expect(heads('Qwen3-0.6B.json')).toEqual([16, 8, 128]);
  });

  test('DeepSeek V3: latent attention, three dense layers, then experts with a shared one', () => {
    const layers = mainStack(architectureOf(textOf(published, 'DeepSeek-V3.json')))?.layers ?? [];
    expect(layers.map(({ feedForward }) => feedForward.kind).slice(0, 4)).toEqual([
      'mlp',
      'mlp',
      'mlp',
      'experts',
    ]);
    expect(layers[3]?.mixer).toMatchObject({
      kind: 'latent',
      queryRank: 1536,
      keyValueRank: 512,
      heads: 128,
    });
    expect(layers[3]?.feedForward).toMatchObject({
      experts: 256,
      expertsPerToken: 8,
      shared: { mlp: { width: 2048 } },
    });
  });

  test('Nemotron-H: the list of kinds stands for the missing number of layers', () => {
    const ultra = architectureOf(textOf(published, 'NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16.json'));
    const kinds = (mainStack(ultra)?.layers ?? []).map(({ mixer, feedForward }) =>
      mixer.kind === 'none' ? feedForward.kind : mixer.kind,
    );
    expect(kinds.slice(0, 8)).toEqual([
      'state-space',
      'experts',
      'state-space',
      'experts',
      'state-space',
      'experts',
      'state-space',
      'attention',
    ]);
  });

  test('both parts of a vision-language model are there', () => {
    const model = architectureOf(textOf(published, 'Qwen2.5-VL-7B-Instruct.json'));
    expect(model.stacks.map(({ role, path: at, layers }) => [role, at, layers.length])).toEqual([
      ['vision', 'model.visual', 32],
      ['decoder', 'model.language_model', 28],
    ]);
    expect(model.connectors).toEqual([{ path: 'model.visual.merger' }]);
  });
});

/** A value that does not belong, a null, or nothing. */
const damage = fc.oneof(
  fc.constant(null),
  fc.constant(undefined),
  fc.jsonValue({ maxDepth: 1 }),
  fc.integer(),
  fc.double(),
  fc.constantFrom('', 'x', [], {}, [null], -1, 0, 1e300, true),
);

/** Every path to a field of a config, one level of nesting deep. */
function fieldPaths(config: Record<string, unknown>): string[][] {
  return Object.entries(config).flatMap(([name, value]) => [
    [name],
    ...(typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.keys(value).map((inner) => [name, inner])
      : []),
  ]);
}

function damaged(config: Record<string, unknown>, [name = '', inner]: string[], value: unknown): object {
  if (inner === undefined) return { ...config, [name]: value };
  return { ...config, [name]: { ...(config[name] as object), [inner]: value } };
}

describe('damaged configs', () => {
  const texts = [published, `${configs}/measured`].flatMap((folder) =>
    filesIn(folder).map((file) => textOf(folder, file)),
  );
  const parsed = texts.flatMap((text) => {
    try {
      return [JSON.parse(text) as Record<string, unknown>];
    } catch {
      // The ones with bare Infinity are left to the cut texts below.
      return [];
    }
  });

  test('dropped, nulled and retyped fields give a model or a reason, never a crash', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...parsed).chain((config) =>
          fc.record({
            config: fc.constant(config),
            at: fc.constantFrom(...fieldPaths(config)),
            also: fc.constantFrom(...fieldPaths(config)),
            value: damage,
            other: damage,
          }),
        ),
        ({ config, at, also, value, other }) => {
          const once = damaged(config, at, value) as Record<string, unknown>;
          const twice = also[1] === undefined ? damaged(once, also, other) : once;
          const reading = readModel(JSON.stringify(twice));
          if (reading.kind === 'refused') expect(translate('en', reading.reason)).not.toBe('');
          else {
            const count = parameterCount(reading.architecture);
            expect(Number.isFinite(count) && count > 0).toBe(true);
            const tensors = parameterTensors(reading.architecture);
            const names = new Set(tensors.map(({ name }) => name));
            expect(names.size).toBe(tensors.length);
            expect(tensors.filter(({ tiedTo }) => tiedTo !== null && !names.has(tiedTo))).toEqual([]);
          }
        },
      ),
      { numRuns: 500 },
    );
  }, 60_000);

  test('cut and doubled texts give a model or a reason, never a crash', () => {
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.double({ min: 0, max: 1, noNaN: true }), (text, share) => {
        const cut = text.slice(0, Math.floor(text.length * share));
        expect(['model', 'refused']).toContain(readModel(cut).kind);
        expect(readModel(`${text}${cut}`).kind).toBe(readModel(text).kind);
      }),
      { numRuns: 100 },
    );
  }, 60_000);
});
