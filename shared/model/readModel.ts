/** The text of a config.json as an Architecture, or the reason why it is none. */
import { message, type Message } from '../i18n/message';
import type { Architecture, Quantization } from './architecture';
import { families } from './families/registry';
import { Fields, isRecord } from './fields';
import { parseTolerantJson } from './json';
import { modelClassOf } from './modelClass';
import { Refusal } from './refusal';

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
  const modelType = fields.text('model_type', '');
  const family = Object.hasOwn(families, modelType) ? families[modelType] : undefined;
  if (family === undefined)
    throw new Refusal(message('model.unknownType', { modelType, field: 'model_type' }));
  const read = family.read(fields, modelClassOf(fields, family.baseClass));
  return { ...read, modelType, quantization: quantizationOf(fields), warnings: read.warnings };
}

function quantizationOf(fields: Fields): Quantization | null {
  const value = fields.values['quantization_config'];
  if (!isRecord(value)) return null;
  const method = value['quant_method'];
  const bits = value['bits'];
  return {
    method: typeof method === 'string' ? method : 'unknown',
    bits: typeof bits === 'number' ? bits : null,
  };
}
