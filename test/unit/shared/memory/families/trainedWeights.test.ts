/** Families' own code uses every weight that a class trains: a step of full fine-tuning gives each of them a gradient. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TrainingSettings } from '../../../../../shared/memory/configuration';
import { H200 } from '../../../../../shared/gpu/models';
import { forwardFor } from '../../../../../shared/memory/chooseForward';
import { simulate } from '../../../../../shared/memory/simulation';
import { allocationOf, isAllocation, isFree } from '../../../../../shared/memory/tape/log';
import type { Architecture } from '../../../../../shared/model/architecture';
import { parameterTensors } from '../../../../../shared/model/inventory';
import { readModel } from '../../../../../shared/families/readModel';

const settings: TrainingSettings = {
  method: { kind: 'full' },
  precision: 'fp32',
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

/** Bytes that became parameters' gradients in the first step. */
function gradientBytes(architecture: Architecture): number {
  const { log, steps } = simulate(architecture, forwardFor(architecture).forward, settings, H200);
  const [step] = steps;
  if (step === undefined) throw new Error('No step was played.');
  let bytes = 0;
  for (let event = step.start; event < step.end; event++) {
    const code = log.code(event);
    if (!isAllocation(code) && !isFree(code)) bytes += log.bytes(allocationOf(code));
  }
  return bytes;
}

/** Apertus' learned numbers of its activation, which are left out of the play: two a layer. */
const LEFT_OUT = /\.act_fn\.alpha_[pn]$/;

const trainedBytes = (architecture: Architecture): number =>
  parameterTensors(architecture)
    .filter(({ frozen, name, tiedTo }) => tiedTo === null && !frozen && !LEFT_OUT.test(name))
    .reduce((sum, { elements }) => sum + 4 * elements, 0);

function modelOf(config: object): Architecture | null {
  const reading = readModel(JSON.stringify(config));
  return reading.kind === 'refused' ? null : reading.architecture;
}

/** Whether the class has a head that is trained, and code of its own plays it. */
const isPlayed = (architecture: Architecture): boolean =>
  architecture.warnings.length === 0 && forwardFor(architecture).ownCode;

const inventories = path.resolve(import.meta.dirname, '../../../../fixtures/configs/inventories');
const recorded = readdirSync(inventories)
  .filter((file) => file.endsWith('.json'))
  .map((file) => {
    const { config } = JSON.parse(readFileSync(path.join(inventories, file), 'utf8')) as { config: object };
    return { file, architecture: modelOf(config) };
  })
  .filter((entry): entry is { file: string; architecture: Architecture } => entry.architecture !== null)
  .filter(({ architecture }) => isPlayed(architecture));

describe('every weight gets a gradient', () => {
  it('is asked of dozens of recorded models', () => {
    expect(recorded.length).toBeGreaterThan(60);
  });

  it.each(recorded)('$file', ({ architecture }) => {
    expect(gradientBytes(architecture)).toBe(trainedBytes(architecture));
  });

  const text = {
    vocab_size: 1000,
    hidden_size: 128,
    d_model: 128,
    d_kv: 32,
    d_ff: 256,
    num_layers: 2,
    num_heads: 4,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    intermediate_size: 256,
    max_position_embeddings: 128,
    type_vocab_size: 2,
    relative_attention: true,
    pos_att_type: ['c2p', 'p2c'],
    talking_head: true,
    conv_kernel_size: 3,
  };

  it.each([
    ['bert', 'BertForPreTraining'],
    ['bert', 'BertForSequenceClassification'],
    ['albert', 'AlbertForPreTraining'],
    ['electra', 'ElectraForPreTraining'],
    ['electra', 'ElectraForMultipleChoice'],
    ['deberta', 'DebertaForMaskedLM'],
    ['deberta-v2', 'DebertaV2ForMaskedLM'],
    ['modernbert', 'ModernBertForQuestionAnswering'],
    ['t5', 'T5ForConditionalGeneration'],
    ['umt5', 'UMT5ForConditionalGeneration'],
    ['llama', 'LlamaForQuestionAnswering'],
    ['gpt2', 'GPT2ForQuestionAnswering'],
    ['opt', 'OPTForQuestionAnswering'],
  ])('%s as %s', (type, className) => {
    const architecture = modelOf({ ...text, model_type: type, architectures: [className] });
    if (architecture === null) throw new Error('The config can be read.');
    expect(isPlayed(architecture)).toBe(true);
    expect(gradientBytes(architecture)).toBe(trainedBytes(architecture));
  });
});
