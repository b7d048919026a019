/** The text of a config.json as an Architecture, or the reason why it is none. */
import { message, type Message } from '../i18n/message';
import type { Architecture, Quantization } from './architecture';
import { families } from './families/registry';
import { Fields, isRecord } from './fields';
import { parseTolerantJson } from './json';
import { modelClassOf } from './modelClass';
import { readNearest } from './nearest';
import { Refusal } from './refusal';
import { checkTree } from './sanity';

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
    return { kind: 'model', architecture: readFields(new Fields(config)) };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', reason: error.reason };
    throw error;
  }
}

function readFields(fields: Fields): Architecture {
  const diffusersClass = fields.values['_class_name'];
  if (typeof diffusersClass === 'string' && !fields.has('model_type'))
    throw new Refusal(message('model.diffusers', { className: diffusersClass }));
  const modelType = fields.has('model_type') ? fields.text('model_type', '') : null;
  const family = modelType !== null && Object.hasOwn(families, modelType) ? families[modelType] : undefined;
  const read =
    family === undefined
      ? readNearest(fields, modelType)
      : family.read(fields, modelClassOf(fields, family.baseClass));
  checkTree(read.modules);
  const quantization = quantizationOf(fields);
  return {
    ...read,
    modelType,
    quantization,
    warnings: [...read.warnings, ...warningsOf(fields, quantization)],
  };
}

/** `quantization_config` of the file or of its language model. */
function quantizationOf(fields: Fields): Quantization | null {
  const nested = fields.values['text_config'];
  const value =
    fields.values['quantization_config'] ?? (isRecord(nested) ? nested['quantization_config'] : undefined);
  if (!isRecord(value)) return null;
  const method = value['quant_method'];
  const bits = value['bits'];
  return {
    method: typeof method === 'string' ? method : 'unknown',
    bits: typeof bits === 'number' ? bits : null,
  };
}

function warningsOf(fields: Fields, quantization: Quantization | null): readonly Message[] {
  const language = fields.values['text_config'];
  const inner = isRecord(language) ? new Fields(language, 'text_config') : fields;
  const further = Math.max(predictionLayers(fields), predictionLayers(inner));
  return [
    ...(quantization === null ? [] : [message('model.quantized', { method: quantization.method })]),
    ...(further === 0 ? [] : [message('model.predictionLayers', { count: further })]),
  ];
}

/** Layers for predicting tokens after the next, which the files hold and the classes leave out. */
function predictionLayers(fields: Fields): number {
  const names = ['num_nextn_predict_layers', 'mtp_num_hidden_layers', 'num_mtp_layers', 'mtp_num_layers'];
  return Math.max(...names.map((name) => fields.count(name, 0)));
}
