/** What families' own code plays and what it refuses: models that leave a number open, ALiBi, classifiers of ModernBERT. */
import { describe, expect, it } from 'vitest';
import { translate } from '../../../../../shared/i18n/translate';
import type { Method, TrainingSettings } from '../../../../../shared/memory/configuration';
import { H200 } from '../../../../../shared/gpu/models';
import { estimate } from '../../../../../shared/memory/estimate';
import { simulateGpt2 } from '../../../../../shared/families/gpt2/simulation';
import { forwardFor, forwardOf } from '../../../../../shared/memory/chooseForward';
import { dryRun } from '../../../../../shared/memory/dryRun';
import { rangeBetween } from '../../../../../shared/memory/play';
import { endOf, batchLoaded } from '../../../../../shared/memory/tape/marks';
import { readRequest } from '../../../../../shared/memory/request';
import { simulate } from '../../../../../shared/memory/simulation';
import { allocationOf, isAllocation } from '../../../../../shared/memory/tape/log';
import { quantizationOf } from '../../../../../shared/memory/training/quantization';
import type { Architecture, Inputs } from '../../../../../shared/model/architecture';
import { parameterCount } from '../../../../../shared/model/inventory';
import { readModel } from '../../../../../shared/families/readModel';

const settings: TrainingSettings = {
  method: { kind: 'full' },
  precision: 'bf16',
  optimizer: 'sgd',
  microBatch: 2,
  sequence: 32,
  accumulation: 1,
  checkpointing: { kind: 'none' },
  attention: 'sdpa',
  clipGradients: false,
  gradientSync: null,
  reduceType: 'fp32',
  pixels: 'fp32',
};

const qlora: Method = {
  kind: 'qlora',
  adapters: { rank: 8, alpha: 16, targets: 'all-linear', dropout: 0, adapterType: 'fp32' },
  doubleQuantization: false,
};

function modelOf(type: string, className: string, config: object): Architecture {
  const reading = readModel(JSON.stringify({ ...config, model_type: type, architectures: [className] }));
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  return reading.architecture;
}

/** Bytes of all allocations of the first forward whose place ends as asked, in order. */
function forwardBytes(
  architecture: Architecture,
  place: string,
  changes: Partial<TrainingSettings> = {},
): readonly number[] {
  const { forward, ownCode } = forwardFor(architecture);
  expect(ownCode).toBe(true);
  const { log } = simulate(architecture, forward, { ...settings, ...changes }, H200);
  const { start, end } = rangeBetween(log, batchLoaded, endOf('forward', 1));
  const made: number[] = [];
  for (let event = start; event < end; event++) {
    const code = log.code(event);
    const id = allocationOf(code);
    if (isAllocation(code) && log.placeName(log.placeIndex(id)).endsWith(place)) made.push(log.bytes(id));
  }
  return made;
}

const words = {
  vocab_size: 1000,
  hidden_size: 128,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  intermediate_size: 256,
  max_position_embeddings: 128,
};

describe('numbers that a configuration leaves open', () => {
  const image = { ...words, image_size: 64, patch_size: 16 };
  const sound = { ...words, d_model: 128, num_mel_bins: 80, encoder_layers: 2, decoder_layers: 2 };
  const withInputs = (architecture: Architecture, change: (inputs: Inputs) => Inputs): Architecture => ({
    ...architecture,
    stacks: architecture.stacks.map((stack) => ({ ...stack, inputs: change(stack.inputs) })),
  });
  const open = (architecture: Architecture): Architecture =>
    withInputs(architecture, (inputs) => {
      if (inputs.kind === 'patches') return { ...inputs, patches: null };
      return inputs.kind === 'audio' ? { ...inputs, frames: null } : inputs;
    });

  it.each([
    ['vit', 'ViTForImageClassification', image],
    ['beit', 'BeitForImageClassification', { ...image, use_relative_position_bias: true }],
    [
      'swin',
      'SwinForImageClassification',
      { image_size: 64, embed_dim: 32, depths: [2], num_heads: [2], window_size: 4 },
    ],
    ['siglip', 'SiglipModel', { text_config: words, vision_config: image }],
    ['whisper', 'WhisperForConditionalGeneration', sound],
  ])(
    '%s is not played by its code without them, and the answer says what is assumed',
    (type, className, config) => {
      const whole = modelOf(type, className, config);
      expect(forwardFor(whole).ownCode).toBe(true);
      const architecture = open(whole);
      expect(forwardFor(architecture).ownCode).toBe(false);
      const request = readRequest({ seq: 32 }, { label: (key) => key, timeline: false });
      if (request.kind === 'refused') throw new Error(request.reason.key);
      const answer = estimate(architecture, request.request);
      if (answer.kind === 'refused') throw new Error(answer.reason.key);
      const keys = answer.estimate.assumptions.map(({ key }) => key);
      expect(keys).toContain('memory.assumeNearestBlock');
      expect(keys.some((key) => key === 'memory.assumePatches' || key === 'memory.assumeFrames')).toBe(true);
    },
  );
});

describe('experts of which nobody says how many a token goes to', () => {
  it('are counted, and no step of them is played', () => {
    const mixture = {
      ...words,
      num_key_value_heads: 4,
      n_routed_experts: 8,
      n_shared_experts: 1,
      moe_intermediate_size: 64,
      first_k_dense_replace: 0,
      q_lora_rank: null,
      kv_lora_rank: 32,
      qk_nope_head_dim: 32,
      qk_rope_head_dim: 16,
      v_head_dim: 32,
    };
    const answerOf = (facts: object): string => {
      const architecture = modelOf('deepseek_v2', 'DeepseekV2ForCausalLM', { ...mixture, ...facts });
      expect(parameterCount(architecture)).toBeGreaterThan(2 * 8 * 3 * 64 * 128);
      const request = readRequest({ seq: 32 }, { label: (key) => key, timeline: false });
      if (request.kind === 'refused') throw new Error(request.reason.key);
      const answer = estimate(architecture, request.request);
      return answer.kind === 'refused' ? translate('en', answer.reason) : answer.kind;
    };
    expect(answerOf({ num_experts_per_tok: 2 })).toBe('estimate');
    expect(answerOf({})).toBe(
      'The config has no "num_experts_per_tok", which is needed to know the size of the model.',
    );
  });
});

describe('QLoRA of T5', () => {
  it('leaves the last product of each MLP wide, as the class asks', () => {
    const t5 = modelOf('t5', 'T5ForConditionalGeneration', {
      vocab_size: 1000,
      d_model: 128,
      d_kv: 32,
      d_ff: 256,
      num_layers: 2,
      num_heads: 4,
    });
    const paths = quantizationOf(t5, qlora, 'amp-bf16')?.paths ?? new Set<string>();
    expect(paths.has('encoder.block.0.layer.1.DenseReluDense.wi')).toBe(true);
    expect([...paths].filter((path) => path.endsWith('.wo'))).toEqual([]);
  });
});

describe('a dry run of code on a model', () => {
  it('is remembered for each code by itself', () => {
    const llama = modelOf('llama', 'LlamaForCausalLM', words);
    const own = forwardOf('llama');
    if (own === null) throw new Error('llama has code of its own');
    const incomplete = { kind: 'incomplete', reason: 'model has no module wte.' };
    expect([dryRun(simulateGpt2, llama), dryRun(own, llama), dryRun(simulateGpt2, llama)]).toEqual([
      incomplete,
      { kind: 'complete' },
      incomplete,
    ]);
  });

  it('is said of a layer of another kind, too', () => {
    const llama = modelOf('llama', 'LlamaForCausalLM', words);
    const stacks = llama.stacks.map((stack) => ({
      ...stack,
      layers: stack.layers.map((layer) => ({
        ...layer,
        mixer: { kind: 'other', name: 'retention' } as const,
      })),
    }));
    expect(forwardFor({ ...llama, stacks }).ownCode).toBe(false);
  });
});

describe('Falcon with ALiBi', () => {
  const falcon = modelOf('falcon', 'FalconForCausalLM', { ...words, alibi: true, multi_query: false });
  const pairs = 2 * 4 * 32 * 32;

  it('joins ALiBi and the causal mask for every head', () => {
    const made = forwardBytes(falcon, 'transformer');
    // The mask of booleans, and the one of all heads in bf16.
    expect(made).toContain(2 * 32 * 32);
    expect(made.filter((bytes) => bytes === pairs * 2)).toHaveLength(1);
  });

  it('says that no step of it was recorded', () => {
    expect(forwardFor(falcon).isTraced).toBe(false);
    const turned = modelOf('falcon', 'FalconForCausalLM', { ...words, multi_query: false });
    expect(forwardFor(turned).isTraced).toBe(true);
  });

  it('computes the scores of eager attention in fp32', () => {
    const made = forwardBytes(falcon, 'h.0.self_attention', { attention: 'eager' });
    // The cast scores, with ALiBi, with the mask; the product before and the weights behind them are in bf16.
    expect(made.filter((bytes) => bytes === pairs * 4)).toHaveLength(3);
  });
});

describe('DeBERTa v2', () => {
  const read = (facts: object): Architecture =>
    modelOf('deberta-v2', 'DebertaV2ForMaskedLM', {
      ...words,
      relative_attention: true,
      pos_att_type: ['c2p', 'p2c'],
      ...facts,
    });
  /** Distances of all pairs in fp32, which only the logarithms of buckets make. */
  const logarithms = (architecture: Architecture): number =>
    forwardBytes(architecture, 'encoder').filter((bytes) => bytes === 32 * 32 * 4).length;

  it.each([
    [{ position_buckets: 64 }, true],
    // As many buckets as positions are buckets, too; a reach other than the positions makes none.
    [{ position_buckets: 128 }, true],
    [{ position_buckets: -1, max_relative_positions: 16 }, false],
    [{ position_buckets: -1 }, false],
  ])('puts distances in buckets where %j asks for them: %s', (facts, inBuckets) => {
    expect(logarithms(read(facts)) > 0).toBe(inBuckets);
  });

  it('adds neighbouring tokens to the first layer of those that have a convolution', () => {
    const made = forwardBytes(read({ conv_kernel_size: 3 }), 'encoder.conv', { precision: 'fp32' });
    const hidden = 2 * 32 * 128 * 4;
    // Columns, their order back, dropout, its activation, the sum, and the masked norm.
    expect(made.filter((bytes) => bytes === hidden)).toHaveLength(6);
    expect(forwardBytes(read({}), 'encoder.conv')).toEqual([]);
    expect([read({ conv_kernel_size: 3 }), read({})].map((model) => forwardFor(model).isTraced)).toEqual([
      false,
      true,
    ]);
  });
});

describe('classifiers of ModernBERT', () => {
  const read = (task: string, facts: object = {}): Architecture =>
    modelOf('modernbert', `ModernBertFor${task}`, { ...words, ...facts });

  it('judge both ends of an answer over all positions', () => {
    const made = forwardBytes(read('QuestionAnswering'), 'loss', { precision: 'fp32' });
    // Each end: log-softmax over the positions, the loss, the number of labels.
    const ofEnd = [2 * 32 * 4, 4, 4];
    expect(made).toEqual([...ofEnd, ...ofEnd]);
  });

  it('drop what the file says in front of the classifier', () => {
    const plain = forwardBytes(read('TokenClassification'), '');
    const dropped = forwardBytes(read('TokenClassification', { classifier_dropout: 0.1 }), '');
    // A mask of bytes and the result.
    expect(dropped).toHaveLength(plain.length + 2);
    expect(dropped).toContain(2 * 32 * 128);
  });

  it('read the first token or the mean of all', () => {
    const first = read('SequenceClassification');
    const mean = read('SequenceClassification', { classifier_pooling: 'mean' });
    const hidden = 2 * 32 * 128 * 2;
    const count = (architecture: Architecture): number =>
      forwardBytes(architecture, '').filter((bytes) => bytes === hidden).length;
    expect(count(mean)).toBe(count(first) + 1);
  });
});
