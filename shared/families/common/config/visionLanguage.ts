/** Language models with a vision or audio tower: both parts are read from their own configs and counted. */
import { type Message, message } from '../../../i18n/message';
import type { Connector, Stack } from '../../../model/architecture';
import { type Backbone, baseNode } from '../../../model/backbone';
import {
  type BuiltHead,
  type ReadArchitecture,
  decoderModel,
  languageModelHead,
  placed,
  scoreHead,
} from '../../../model/decoderClasses';
import type { ConfigFields } from '../../../model/configFields';
import type { ModelClass } from '../../../model/modelClass';
import type { ModuleNode, OwnTensor } from '../../../model/modules';
import { group, withBuffers } from '../../../model/nodes';
import { nearestDecoder, refuseOthers } from '../../unlisted/nearestDecoder';
import type { ListedTypes, Sizes } from '../../declaration';
import type { Tower } from './patchTower';

/** How the head's tie is said: by the whole config, by it or the language model's, or never. */
type TieRule = { readonly by: 'whole'; readonly fallback: boolean } | { readonly by: 'either' | 'never' };

/** How a model is put together from its towers and its language model. */
export interface VisionLanguageStyle {
  readonly family: string;
  /** Type of the language model where its part names none; null: not known. */
  readonly textType: string | null;
  /** What the language model takes where its part is silent, beyond the defaults of its own class. */
  readonly textDefaults?: Sizes;
  readonly tie: TieRule;
  /** Parts of the model in registration order; `language` stands for the language model. */
  readonly parts: (fields: ConfigFields, language: Backbone, listed: ListedTypes) => readonly Part[];
  readonly ownParameters?: (language: Backbone) => readonly OwnTensor[];
  /** Name of the language model, `language_model` in most. */
  readonly languageName?: string;
  /** The class for causal language models is the whole, too (LLaVA's first code); in transformers it is the language model alone. */
  readonly causalIsWhole?: boolean;
  /** transformers has classes of it that classify texts or tokens. */
  readonly hasClassifiers?: boolean;
}

/** A part of a model, in registration order. */
export type Part =
  | { readonly kind: 'language' }
  | {
      readonly kind: 'built';
      readonly node: ModuleNode;
      readonly stack: Stack | null;
      readonly connector: Connector | null;
    }
  | { readonly kind: 'unknown'; readonly name: string; readonly modelType: string };

/** Where the language model stands among the parts. */
export const language: Part = { kind: 'language' };

/** Places where files keep the language model's config. */
const textParts = ['text_config', 'language_config', 'llm_config'];

/**
 * The language model of a config that nests it. Files of Qwen2-VL keep its fields at the top, beside `vision_config`. A
 * language model of unknown type is read as the nearest block, with a warning, or refused.
 */
export function languageBackbone(
  fields: ConfigFields,
  textType: string | null,
  listed: ListedTypes,
  textDefaults: Sizes = {},
): Backbone {
  const part = textParts.map((name) => fields.part(name)).find((found) => found !== null) ?? null;
  const own = part?.over(textDefaults) ?? fields;
  const named = part === null ? '' : own.text('model_type', '');
  const type = named === '' ? textType : named;
  const decoder = type === null ? null : listed.decoder(type);
  if (decoder !== null) {
    const { part: sizes = {}, whole = {} } = decoder.defaults ?? {};
    return decoder.read(own.over(part === null ? {} : sizes).over(whole));
  }
  refuseOthers(own, type);
  const backbone = nearestDecoder(own);
  const { family } = backbone;
  const warning =
    type === null
      ? message('model.nearestWithoutType', { family })
      : message('model.nearest', { modelType: type, family });
  return { ...backbone, warnings: [warning, ...backbone.warnings] };
}

/** A reader of models whose parts are as `style` says. */
export const visionLanguageReader =
  (style: VisionLanguageStyle) =>
  (fields: ConfigFields, modelClass: ModelClass, listed: ListedTypes): ReadArchitecture =>
    visionLanguage(fields, modelClass, style, listed);

/** The class that `modelClass` names: base, with a language-model head or a classifier, or the language model alone. */
export function visionLanguage(
  fields: ConfigFields,
  modelClass: ModelClass,
  style: VisionLanguageStyle,
  listed: ListedTypes,
): ReadArchitecture {
  const backbone = languageBackbone(fields, style.textType, listed, style.textDefaults);
  if (modelClass.kind === 'causal-language-model' && style.causalIsWhole !== true)
    return decoderModel(backbone, modelClass);
  const languageName = style.languageName ?? 'language_model';
  const parts = style.parts(fields, backbone, listed);
  const children = parts.flatMap((part) => {
    switch (part.kind) {
      case 'language':
        return [baseNode(backbone, languageName)];
      case 'built':
        return [part.node];
      case 'unknown':
        return [];
    }
  });
  const own = style.ownParameters?.(backbone) ?? [];
  const head = headOf(fields, backbone, modelClass, style);
  const base = head?.base ?? '';
  return {
    family: style.family,
    className: modelClass.name,
    stacks: parts
      .flatMap((part) => stacksOf(part, backbone, languageName))
      .map((stack) => placed(stack, base)),
    connectors: parts
      .flatMap((part) => (part.kind === 'built' && part.connector !== null ? [part.connector] : []))
      .map(({ path }) => ({ path: base === '' ? path : `${base}.${path}` })),
    head: head?.facts ?? { kind: 'none' },
    modules:
      head === null ? group('', children, own) : group('', [group(base, children, own), ...head.nodes]),
    warnings: [...backbone.warnings, ...parts.flatMap((part) => warningsOf(part))],
  };
}

function headOf(
  fields: ConfigFields,
  backbone: Backbone,
  modelClass: ModelClass,
  style: VisionLanguageStyle,
): BuiltHead | null {
  const base = 'model';
  switch (modelClass.kind) {
    case 'conditional-generation':
    case 'causal-language-model': {
      const table = `${base}.${style.languageName ?? 'language_model'}`;
      const built = languageModelHead(backbone, table, {
        ...backbone.head,
        name: 'lm_head',
        tied: isTied(fields, backbone, style.tie),
      });
      return { ...built, base };
    }
    case 'sequence-classification':
    case 'token-classification':
      return style.hasClassifiers === true
        ? scoreHead(base, backbone.stack.hiddenSize, modelClass.kind, modelClass.labels)
        : null;
    default:
      return null;
  }
}

function stacksOf(part: Part, backbone: Backbone, languageName: string): readonly Stack[] {
  if (part.kind === 'language') return [placed(backbone.stack, languageName)];
  return part.kind === 'built' && part.stack !== null ? [part.stack] : [];
}

function warningsOf(part: Part): readonly Message[] {
  return part.kind === 'unknown'
    ? [message('model.partUnknown', { part: part.name, modelType: part.modelType })]
    : [];
}

function isTied(fields: ConfigFields, backbone: Backbone, rule: TieRule): boolean {
  switch (rule.by) {
    case 'whole':
      return fields.flag('tie_word_embeddings', rule.fallback);
    case 'either':
      return fields.flag('tie_word_embeddings', false) || backbone.head.tied;
    case 'never':
      return false;
  }
}

/** The part for a tower, with its stack's path under `name`. */
export function towerPart(name: string, tower: Tower): Part {
  const { stack, children, ownParameters = [], ownBuffers = [], connector } = tower;
  return {
    kind: 'built',
    stack: placed(stack, name),
    node: withBuffers(group(name, children, ownParameters), ownBuffers),
    connector: connector === undefined ? null : { path: `${name}.${connector.path}` },
  };
}

/** The part for the module that joins a tower to the language model. */
export function connectorPart(node: ModuleNode): Part {
  return { kind: 'built', node, stack: null, connector: { path: node.name } };
}
