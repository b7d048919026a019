/** Every config that can be read can be played, whatever class of its family it names: an estimate or a refusal, never an error. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { translate } from '../../../../../shared/i18n/translate';
import { estimate } from '../../../../../shared/memory/estimate';
import { forwardFor } from '../../../../../shared/memory/chooseForward';
import { readRequest } from '../../../../../shared/memory/request';
import { parameterCount } from '../../../../../shared/model/inventory';
import { readModel } from '../../../../../shared/families/readModel';
import type { Architecture } from '../../../../../shared/model/architecture';

const inventories = path.resolve(import.meta.dirname, '../../../../fixtures/configs/inventories');

const configOf = (file: string): { readonly architectures: readonly string[] } => {
  const recorded = JSON.parse(readFileSync(path.join(inventories, file), 'utf8')) as {
    config: { architectures: readonly string[] };
  };
  return recorded.config;
};

const TASKS = [
  'Model',
  'ForCausalLM',
  'LMHeadModel',
  'ForConditionalGeneration',
  'ForMaskedLM',
  'ForPreTraining',
  'ForSequenceClassification',
  'ForTokenClassification',
  'ForQuestionAnswering',
  'ForMultipleChoice',
  'ForImageClassification',
  'ForAudioClassification',
];

/** The class's name without its task: `Llama` of `LlamaForCausalLM`. */
const stemOf = (className: string): string => className.replace(/(For[A-Z]\w*|Model|LMHeadModel)$/, '');

const files = readdirSync(inventories).filter((name) => name.endsWith('.json'));

/** What is said of a class: its peak on one card in bytes, or why there is none. */
function answerOf(architecture: Architecture, flags: object): number | string {
  const reading = readRequest({ seq: 64, ...flags }, { label: (key) => key, timeline: false });
  if (reading.kind === 'refused') return translate('en', reading.reason);
  const answer = estimate(architecture, reading.request);
  if (answer.kind === 'refused') return translate('en', answer.reason);
  return answer.estimate.cards[0]?.allocatedPeakBytes ?? 'no card';
}

describe('every class of every config', () => {
  it.each(files)('%s', (file) => {
    const config = configOf(file);
    const [named = ''] = config.architectures;
    const classes = new Set([named, ...TASKS.map((task) => `${stemOf(named)}${task}`)]);
    for (const className of classes) {
      const reading = readModel(JSON.stringify({ ...config, architectures: [className] }));
      if (reading.kind === 'refused') {
        expect(translate('en', reading.reason), className).toMatch(/\w.*\.$/);
        continue;
      }
      // A step with AdamW holds parameters, gradients and both moments in fp32: 16 bytes. A base model's pooler has no gradient.
      const least = parameterCount(reading.architecture) * 15.5;
      for (const flags of [{}, { method: 'lora' }, { attention: 'eager', checkpointing: 'full' }]) {
        const answer = answerOf(reading.architecture, flags);
        if (typeof answer === 'string') expect(answer, className).toMatch(/\w.*\.$/);
        else expect(answer, className).toBeGreaterThan('method' in flags ? least / 4 : least);
      }
    }
  });

  it.each([
    ['llama-qa.json', 'LlamaForQuestionAnswering', true],
    ['llama-qa.json', 'LlamaForCausalLM', true],
    ['gemma3-vl.json', 'Gemma3ForConditionalGeneration', false],
  ])('%s as %s is played by its own code: %s', (file, className, ownCode) => {
    const reading = readModel(JSON.stringify({ ...configOf(file), architectures: [className] }));
    if (reading.kind === 'refused') throw new Error(reading.reason.key);
    expect(forwardFor(reading.architecture).ownCode).toBe(ownCode);
  });
});
