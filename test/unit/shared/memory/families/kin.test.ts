/** Encoders, image and speech models near those that were measured: whose code plays them, and what the answer says about it. */
import { describe, expect, it } from 'vitest';
import { H200 } from '../../../../../shared/gpu/models';
import type { TrainingSettings } from '../../../../../shared/memory/configuration';
import { estimate, type Estimate, type EstimateAnswer } from '../../../../../shared/memory/estimate';
import { forwardFor } from '../../../../../shared/memory/chooseForward';
import { readRequest } from '../../../../../shared/memory/request';
import { simulate, summarise } from '../../../../../shared/memory/simulation';
import type { Architecture } from '../../../../../shared/model/architecture';
import { readModel } from '../../../../../shared/families/readModel';

const words = {
  vocab_size: 1000,
  hidden_size: 128,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  intermediate_size: 256,
  max_position_embeddings: 128,
  type_vocab_size: 2,
};
const patches = {
  hidden_size: 128,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  intermediate_size: 256,
  image_size: 64,
  patch_size: 16,
};
const waves = {
  ...patches,
  vocab_size: 32,
  conv_dim: [32, 32],
  conv_kernel: [10, 3],
};

function read(type: string, className: string, config: object): Architecture | string {
  const reading = readModel(JSON.stringify({ ...config, model_type: type, architectures: [className] }));
  return reading.kind === 'refused' ? reading.reason.key : reading.architecture;
}

function modelOf(type: string, className: string, config: object): Architecture {
  const architecture = read(type, className, config);
  if (typeof architecture === 'string') throw new Error(architecture);
  return architecture;
}

const settings: TrainingSettings = {
  method: { kind: 'full' },
  precision: 'amp-bf16',
  optimizer: 'adamw',
  microBatch: 4,
  sequence: 64,
  accumulation: 1,
  checkpointing: { kind: 'none' },
  attention: 'sdpa',
  clipGradients: false,
  gradientSync: null,
  reduceType: 'fp32',
  pixels: 'fp32',
};

function peakBytes(architecture: Architecture, changes: Partial<TrainingSettings> = {}): number {
  const { forward } = forwardFor(architecture);
  const simulation = simulate(architecture, forward, { ...settings, ...changes }, H200);
  const allocator = { expandableSegments: false, addressOrder: 'falling', limitBytes: null } as const;
  return summarise(simulation, allocator, 0)?.allocatedPeakBytes ?? Number.NaN;
}

function answerOf(architecture: Architecture, fields: object = {}): EstimateAnswer {
  const reading = readRequest({ seq: 64, ...fields }, { label: (key) => key, timeline: false });
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  return estimate(architecture, reading.request);
}

function ask(architecture: Architecture): Estimate {
  const answer = answerOf(architecture);
  if (answer.kind === 'refused') throw new Error(answer.reason.key);
  return answer.estimate;
}

const CLASSES = ['MaskedLM', 'SequenceClassification', 'TokenClassification', 'QuestionAnswering'];

describe('classes of encoders', () => {
  it.each(
    (
      [
        ['bert', 'Bert'],
        ['roberta', 'Roberta'],
        ['camembert', 'Camembert'],
        ['electra', 'Electra'],
        ['albert', 'Albert'],
        ['mpnet', 'MPNet'],
        ['modernbert', 'ModernBert'],
        ['deberta', 'Deberta'],
        ['deberta-v2', 'DebertaV2'],
      ] as const
    ).flatMap(([type, name]) => CLASSES.map((task) => [type, `${name}For${task}`] as const)),
  )('%s: %s is played by its own code', (type, className) => {
    const architecture = modelOf(type, className, words);
    expect(forwardFor(architecture).ownCode).toBe(true);
    const many = { microBatch: 64, sequence: 128 };
    const plain = peakBytes(architecture, many);
    expect(plain).toBeGreaterThan(peakBytes(architecture, { ...many, checkpointing: { kind: 'full' } }));
  });

  it('recomputes only attention where that is asked', () => {
    const architecture = modelOf('bert', 'BertForSequenceClassification', words);
    const eager: Partial<TrainingSettings> = { attention: 'eager' };
    expect(peakBytes(architecture, { ...eager, checkpointing: { kind: 'selective' } })).toBeLessThan(
      peakBytes(architecture, eager),
    );
  });
});

describe('models of images and speech', () => {
  it.each([
    ['deit', 'DeiTForImageClassification', patches, true],
    ['deit', 'DeiTForImageClassificationWithTeacher', patches, true],
    ['beit', 'BeitForImageClassification', { ...patches, use_relative_position_bias: true }, true],
    ['vit_msn', 'ViTMSNForImageClassification', patches, true],
    ['yolos', 'YolosForObjectDetection', patches, false],
    ['wavlm', 'WavLMForCTC', waves, false],
  ] as const)('%s: %s', (type, className, config, ownCode) => {
    const architecture = modelOf(type, className, config);
    expect(forwardFor(architecture).ownCode).toBe(ownCode);
    expect(peakBytes(architecture)).toBeGreaterThan(0);
  });

  it('takes pixels in fp32 unless they are said to be in the weights’ type', () => {
    const architecture = modelOf('vit', 'ViTForImageClassification', patches);
    const inFp32 = peakBytes(architecture, { precision: 'bf16', microBatch: 64 });
    const narrow = peakBytes(architecture, { precision: 'bf16', microBatch: 64, pixels: 'weights' });
    expect(narrow).toBeLessThan(inFp32);
  });

  it('refuses what is no transformer', () => {
    expect(read('convnext', 'ConvNextForImageClassification', { hidden_sizes: [96, 192] })).toBe(
      'model.unknownType',
    );
  });
});

describe('what an answer says', () => {
  it('is measured for a known family and not for one that was read as it', () => {
    expect(ask(modelOf('bert', 'BertForMaskedLM', words)).measured).toBe(true);
    expect(ask(modelOf('rembert', 'RemBertForMaskedLM', words)).measured).toBe(false);
  });

  it.each([
    ['albert', 'AlbertForMaskedLM', { checkpointing: 'full' }, 'memory.noCheckpointing'],
    ['mpnet', 'MPNetForMaskedLM', { checkpointing: 'full' }, 'memory.noCheckpointing'],
    ['deberta', 'DebertaForMaskedLM', { precision: 'amp-bf16' }, 'memory.noAutocast'],
  ])('refuses what the code of %s cannot do', (type, className, fields, key) => {
    expect(answerOf(modelOf(type, className, words), fields)).toMatchObject({
      kind: 'refused',
      reason: { key },
    });
  });

  it('tells how many images stand beside the text', () => {
    const text = { ...words, model_type: 'llama', num_key_value_heads: 2, rms_norm_eps: 1e-6 };
    const architecture = modelOf('llava', 'LlavaForConditionalGeneration', {
      text_config: text,
      vision_config: { ...patches, model_type: 'clip_vision_model' },
    });
    const { assumptions, measured } = ask(architecture);
    expect(measured).toBe(false);
    expect(assumptions).toContainEqual({ key: 'memory.assumeImages', values: { patches: 16 } });
  });
});
