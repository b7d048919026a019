/**
 * Names, order, shapes and ties of every parameter, against what transformers 5.17 itself listed for small models of each
 * family (`fixtures/configs/inventories`: `named_parameters` and `state_dict` of the class on the meta device).
 */
import { describe, expect, test } from 'vitest';
import {
  blockPaths,
  bufferTensors,
  parameterCount,
  parameterTensors,
  type ParameterTensor,
} from '../../../../shared/model/inventory';
import { readModel } from '../../../../shared/families/readModel';
import { architectureOf, configs, filesIn, textOf } from './fixtures';

const folder = `${configs}/inventories`;

interface Recorded {
  readonly config: object;
  readonly parameters: number;
  readonly tensors: readonly string[];
}

const lineOf = ({ name, shape, tiedTo }: ParameterTensor): string =>
  `${name} ${shape.join('x') || 'scalar'}${tiedTo === null ? '' : ` = ${tiedTo}`}`;

describe('parameters in the order of transformers', () => {
  test.each(filesIn(folder))('%s', (file) => {
    const recorded = JSON.parse(textOf(folder, file)) as Recorded;
    const architecture = architectureOf(recorded.config);
    const known = new Set(recorded.tensors);
    // DeepSeek's published class has the router's correction as a parameter; transformers keeps it as a buffer.
    const isExtra = (tensor: ParameterTensor): boolean =>
      tensor.name.includes('e_score_correction_bias') && !known.has(lineOf(tensor));
    const tensors = parameterTensors(architecture);
    expect(tensors.filter((tensor) => !isExtra(tensor)).map(lineOf)).toEqual(recorded.tensors);
    const extra = tensors.filter(isExtra).reduce((sum, { elements }) => sum + elements, 0);
    expect(parameterCount(architecture) - extra).toBe(recorded.parameters);
  });
});

describe('what else the inventory tells', () => {
  const llama = architectureOf(textOf(`${configs}/measured`, 'llama-3.2-1b.json'));

  test('the block of each tensor, the module that owns it, and its kind', () => {
    const tensors = parameterTensors(llama);
    expect(tensors[0]).toMatchObject({
      name: 'model.embed_tokens.weight',
      module: 'embedding',
      blockPath: null,
      elements: 128_256 * 2048,
    });
    expect(tensors.find(({ name }) => name === 'model.layers.3.self_attn.k_proj.weight')).toMatchObject({
      shape: [512, 2048],
      modulePath: 'model.layers.3.self_attn.k_proj',
      module: 'linear',
      blockPath: 'model.layers.3',
    });
    expect(tensors.at(-1)).toMatchObject({ name: 'lm_head.weight', tiedTo: 'model.embed_tokens.weight' });
  });

  test('one block for each layer', () => {
    expect(blockPaths(llama)).toHaveLength(16);
    expect(blockPaths(llama)[15]).toBe('model.layers.15');
  });

  test('rope tables stay in fp32 and are no parameters', () => {
    const base = llama.modules.children.find(({ name }) => name === 'model');
    const rotary = base?.children.find(({ name }) => name === 'rotary_emb');
    expect(rotary?.parameters).toEqual([]);
    expect(rotary?.buffers).toEqual([
      { name: 'inv_freq', shape: [32], elementBytes: 4, followsDtype: false },
      { name: 'original_inv_freq', shape: [32], elementBytes: 4, followsDtype: false },
    ]);
  });

  test.each([
    // A table of sines has two rows before the first position, and the model's type.
    ['xglm', {}, 'embed_positions.weights', [2050, 1024]],
    ['m2m_100', {}, 'encoder.embed_positions.weights', [1026, 1024]],
    // Rotary frequencies are made for ALiBi, too.
    ['falcon', { alibi: true, num_attention_heads: 64, hidden_size: 4096 }, 'rotary_emb.inv_freq', [32]],
    ['falcon_h1', { mamba_d_ssm: 1024 }, 'layers.0.mamba.mup_vector', [1, 1, 2 * 1024 + 2 * 256 + 128]],
  ])('%s keeps a buffer that no checkpoint has', (type, facts, name, shape) => {
    const sizes = { vocab_size: 100, num_hidden_layers: 2, hidden_size: 1024, num_attention_heads: 16 };
    const architecture = architectureOf({
      model_type: type,
      ...sizes,
      d_model: 1024,
      intermediate_size: 2048,
      ...facts,
    });
    const buffer = bufferTensors(architecture).find((tensor) => tensor.name.endsWith(name));
    expect(buffer).toMatchObject({ shape });
  });

  test('experts are stacked and no linear modules; GPT-2 has Conv1D', () => {
    const olmoe = parameterTensors(architectureOf(textOf(`${configs}/measured`, 'olmoe-1b-7b.json')));
    expect(olmoe.find(({ name }) => name.endsWith('layers.0.mlp.experts.gate_up_proj'))).toMatchObject({
      module: 'expert',
      shape: [64, 2048, 2048],
    });
    expect(olmoe.find(({ name }) => name.endsWith('layers.0.mlp.gate.weight'))?.module).toBe('router');
    const gpt2 = parameterTensors(architectureOf(textOf(`${configs}/measured`, 'gpt2.json')));
    expect(gpt2.find(({ name }) => name.endsWith('h.0.attn.c_attn.weight'))).toMatchObject({
      module: 'conv1d',
      shape: [768, 2304],
    });
  });

  test('layers of one kind are one object', () => {
    const [stack] = llama.stacks;
    expect(new Set(stack?.layers).size).toBe(1);
    const gemma = architectureOf(textOf(`${configs}/measured`, 'gemma2-2b.json'));
    expect(new Set(gemma.stacks[0]?.layers).size).toBe(2);
  });

  test('layers that use the keys of earlier ones have no projections for them, however wide their MLP is', () => {
    const { config } = JSON.parse(textOf(folder, 'gemma4t-e.json')) as Recorded;
    const attention = (wide: boolean): readonly string[] =>
      parameterTensors(architectureOf({ ...config, use_double_wide_mlp: wide }))
        .map(({ name }) => name)
        .filter((name) => name.includes('self_attn'));
    expect(attention(false)).toEqual(attention(true));
    expect(attention(false).filter((name) => name.includes('k_proj')).length).toBeLessThan(
      attention(false).filter((name) => name.includes('q_proj')).length,
    );
  });

  test('more layers than any model has are refused in a vision tower, too', () => {
    const { config } = JSON.parse(textOf(folder, 'kimik25-d.json')) as Recorded & {
      readonly config: { readonly vision_config: object };
    };
    const absurd = { ...config, vision_config: { ...config.vision_config, vt_num_hidden_layers: 1e9 } };
    expect(readModel(JSON.stringify(absurd)).kind).toBe('refused');
  });
});
