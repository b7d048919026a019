import { describe, expect, test } from 'vitest';
import { model } from '../../../electron/commands/model';
import { call, type Answer } from './cliSupport';

const config = JSON.stringify({
  model_type: 'llama',
  architectures: ['LlamaForCausalLM'],
  hidden_size: 64,
  intermediate_size: 160,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  vocab_size: 100,
});

const run = (files: Readonly<Record<string, string>>, ...words: string[]): Promise<Answer> =>
  call([model], ['model', ...words], { files });

describe('headroom model', () => {
  test('--json prints one value with exactly the keys of the contract', async () => {
    const { code, stdout, stderr } = await run(
      { 'my/llama/config.json': config },
      'my/llama/config.json',
      '--json',
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({
      id: null,
      name: 'llama',
      architecture: 'LlamaForCausalLM',
      modelType: 'llama',
      family: 'llama',
      parameters: 107_328,
      layers: 2,
      hiddenSize: 64,
      vocabularySize: 100,
      warnings: [],
    });
  });

  test('an id of the catalogue needs no file', async () => {
    const { code, stdout } = await run({}, 'llama-2-13b', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      id: 'llama-2-13b',
      name: 'Llama 2 13B',
      parameters: 13_015_864_320,
      layers: 40,
    });
  });

  test('a model without tokens has no vocabulary', async () => {
    const { stdout } = await run({}, 'vit-base', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ vocabularySize: null, hiddenSize: 768, layers: 12 });
  });

  test('warnings are words', async () => {
    const { stdout } = await run({ f: `${config} and more` }, 'f', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'f',
      warnings: ['There is text after the end of the config; it was ignored.'],
    });
  });

  test('--list names every entry with its size and source', async () => {
    const { code, stdout } = await run({}, '--list', '--json');
    const models = JSON.parse(stdout) as { id: string; parameters: number; source: string | null }[];
    expect(code).toBe(0);
    expect(models.length).toBeGreaterThanOrEqual(40);
    expect(models.find(({ id }) => id === 'gpt2')).toMatchObject({
      parameters: 124_439_808,
      source: 'https://huggingface.co/openai-community/gpt2/blob/main/config.json',
    });
    expect((await run({}, '--list')).stdout).toMatch(/^gpt2 +124,439,808 +GPT-2$/m);
  });

  test('the plain text', async () => {
    const { stdout } = await run({ 'tiny.json': config }, 'tiny.json');
    expect(stdout).toBe(
      'tiny\nClass: LlamaForCausalLM, read as "llama"\n107,328 parameters\nLayers: 2, hidden size: 64, vocabulary: 100\n',
    );
  });

  test.each([
    [
      ['nothing.json'],
      'headroom model: nothing.json: no such file; expected a file that can be read, or - for standard input',
    ],
    [
      ['llama-2-14b'],
      'headroom model: There is no file and no catalogue entry "llama-2-14b"; did you mean "llama-2-13b"? "headroom model --list" shows them all.',
    ],
    [
      ['meta-llama/Llama-2-7b-hf'],
      'headroom model: There is no file and no catalogue entry "meta-llama/Llama-2-7b-hf"; did you mean "llama-2-7b"? "headroom model --list" shows them all.',
    ],
    [
      ['unheard-of'],
      'headroom model: There is no file and no catalogue entry "unheard-of". "headroom model --list" shows the models that have a name.',
    ],
    [
      ['broken.json'],
      'headroom model: broken.json: This is not JSON: it breaks at character 1. A Hugging Face config.json is expected.',
    ],
    [['large.json'], 'headroom model: large.json: too large; expected at most 32 MiB'],
    [[], 'headroom model: FILE|ID is missing'],
    [['--list', 'gpt2'], 'headroom model: "gpt2" is one argument too many'],
  ])('%j is refused in one line', async (words, line) => {
    const files = { 'broken.json': '{', 'large.json': ' '.repeat(33 * 1024 * 1024) };
    const { code, stdout, stderr } = await run(files, ...words);
    expect([code, stdout, stderr]).toEqual([2, '', `${line}\n`]);
  });
});
