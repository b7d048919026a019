/** The text of a config.json as an Architecture, or the reason why it is none. */
import { type Message, message } from '../i18n/message';
import type { Architecture, Head } from '../model/architecture';
import { ConfigFields, isRecord } from '../model/configFields';
import { parseTolerantJson } from '../model/json';
import { type ModelClass, modelClassOf } from '../model/modelClass';
import { UnreadableModel } from '../model/unreadableModel';
import { checkArchitecture, checkLists } from '../model/sanity';
import { modelTypeNamed, readWhole } from './registry';
import { readNearest } from './unlisted/nearestModel';

/** A config as a model, or why it is none. */
export type ModelReading =
  | { readonly kind: 'model'; readonly architecture: Architecture }
  | { readonly kind: 'refused'; readonly reason: Message };

/** Never throws: a text that is no config, or one of a model that cannot be read, is refused with the reason. */
export function readModel(text: string): ModelReading {
  if (text.trim() === '') return { kind: 'refused', reason: message('model.empty') };
  const json = parseTolerantJson(text);
  if (json.kind === 'broken')
    return { kind: 'refused', reason: message('model.notJson', { position: json.position }) };
  if (!isRecord(json.value)) return { kind: 'refused', reason: message('model.notObject') };
  const reading = readConfig(json.value);
  if (reading.kind === 'refused' || !json.trailingText) return reading;
  const { architecture } = reading;
  const warnings = [message('model.trailingText'), ...architecture.warnings];
  return { kind: 'model', architecture: { ...architecture, warnings } };
}

/** The same for a config that is parsed already. */
export function readConfig(config: Readonly<Record<string, unknown>>): ModelReading {
  try {
    return { kind: 'model', architecture: readFields(new ConfigFields(config)) };
  } catch (error) {
    if (error instanceof UnreadableModel) return { kind: 'refused', reason: error.reason };
    throw error;
  }
}

function readFields(fields: ConfigFields): Architecture {
  const diffusersClass = fields.values['_class_name'];
  if (typeof diffusersClass === 'string' && !fields.has('model_type'))
    throw new UnreadableModel(message('model.diffusers', { className: diffusersClass }));
  if (fields.flag('add_cross_attention', false)) throw new UnreadableModel(message('model.crossAttention'));
  checkLists(fields);
  if (isRecord(fields.values['text_config']))
    checkLists(new ConfigFields(fields.values['text_config'], 'text_config'));
  const modelType = fields.has('model_type') ? fields.text('model_type', '') : null;
  const type = modelType === null ? null : modelTypeNamed(modelType);
  const modelClass = modelClassOf(fields, type?.baseClass ?? 'Model');
  const read = type === null ? readNearest(fields, modelType) : readWhole(type, fields, modelClass);
  checkArchitecture(read);
  const warnings = [...read.warnings, ...classWarnings(modelClass, read.head), ...fileWarnings(fields)];
  return { ...read, modelType, warnings };
}

/** A class whose addition to the base model nobody counted: that is said. */
function classWarnings({ kind, name }: ModelClass, head: Head): readonly Message[] {
  return kind === 'base' || countsFor(head).includes(kind)
    ? []
    : [message('model.unknownClass', { className: name })];
}

/** The kinds of classes that put such a head on the base model. */
function countsFor(head: Head): readonly ModelClass['kind'][] {
  switch (head.kind) {
    case 'none':
    case 'pooler':
      return ['encoder'];
    case 'language-model':
      return ['causal-language-model', 'masked-language-model', 'conditional-generation', 'pretraining'];
    case 'classifier':
      return [
        'sequence-classification',
        'token-classification',
        'question-answering',
        'multiple-choice',
        'image-classification',
        'speech-recognition',
        'audio-classification',
        'pretraining',
      ];
    case 'contrastive':
    case 'projection':
      return ['with-projection'];
    case 'other':
      return ['unknown', 'pretraining'];
  }
}

/** What the file says of itself that its class leaves out. */
function fileWarnings(fields: ConfigFields): readonly Message[] {
  const language = fields.values['text_config'];
  const inner = isRecord(language) ? new ConfigFields(language, 'text_config') : fields;
  const method = quantizationMethod(fields) ?? quantizationMethod(inner);
  const further = Math.max(predictionLayers(fields), predictionLayers(inner));
  return [
    ...(method === null ? [] : [message('model.quantized', { method })]),
    ...(further === 0 ? [] : [message('model.predictionLayers', { count: further })]),
  ];
}

/** `quant_method` of `quantization_config`, such as `fp8`, `mxfp4`, `gptq`; null where the weights are not quantised. */
function quantizationMethod({ values }: ConfigFields): string | null {
  const config = values['quantization_config'];
  if (!isRecord(config)) return null;
  const method = config['quant_method'];
  return typeof method === 'string' ? method : 'unknown';
}

/** Layers for predicting tokens after the next, which the files hold and the classes leave out. */
function predictionLayers(fields: ConfigFields): number {
  const names = ['num_nextn_predict_layers', 'mtp_num_hidden_layers', 'num_mtp_layers', 'mtp_num_layers'];
  return Math.max(...names.map((name) => fields.count(name, 0)));
}
