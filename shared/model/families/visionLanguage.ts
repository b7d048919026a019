/** Language models with a vision or audio tower: both parts are read from their own configs and counted. */
import { message, type Message } from '../../i18n/message';
import type { Connector, Stack } from '../architecture';
import { baseNode, type Backbone } from '../backbone';
import { languageModelHead, placed, type ReadArchitecture } from '../decoderClasses';
import type { Fields } from '../fields';
import { languageDefaults } from '../languageDefaults';
import { classWarnings } from '../facts';
import { isLanguageModel, type ModelClass } from '../modelClass';
import type { ModuleNode, OwnBuffer, OwnTensor } from '../modules';
import { group, renamed, withBuffers } from '../nodes';
import { decoders } from './decoders';
import { nearestDecoder, refuseOthers } from './nearestDecoder';

/** A tower with its place under the model, such as `vision_tower`. */
interface BuiltTower {
  readonly stack: Stack;
  readonly node: ModuleNode;
  readonly connector: Connector | null;
}

/** How the head's tie is said: by the whole config, by it or the language model's, by the latter alone, or never. */
type TieRule =
  { readonly by: 'whole'; readonly fallback: boolean } | { readonly by: 'either' | 'text' | 'never' };

export interface VisionLanguageStyle {
  readonly family: string;
  readonly baseClass: string;
  /** Type of the language model where its part names none; null: not known. */
  readonly textType: string | null;
  readonly tie: TieRule;
  /** Parts of the model in registration order; `language` stands for the language model. */
  readonly parts: (fields: Fields, language: Backbone) => readonly Part[];
  readonly ownParameters?: (language: Backbone) => readonly OwnTensor[];
  /** Name of the language model, `language_model` in most. */
  readonly languageName?: string;
}

export type Part =
  | { readonly kind: 'language' }
  | { readonly kind: 'tower'; readonly tower: BuiltTower }
  | { readonly kind: 'connector'; readonly node: ModuleNode; readonly connector: Connector }
  | { readonly kind: 'unknown'; readonly name: string; readonly modelType: string };

/** Places where files keep the language model's config. */
const textParts = ['text_config', 'language_config', 'llm_config'];

/**
 * The language model of a config that nests it. Files of Qwen2-VL keep its fields at the top, beside `vision_config`. A
 * language model of unknown type is read as the nearest block, with a warning, or refused.
 */
export function languageBackbone(fields: Fields, textType: string | null): Backbone {
  const part = textParts.map((name) => fields.part(name)).find((found) => found !== null) ?? null;
  const own = part ?? fields;
  const named = part === null ? '' : own.text('model_type', '');
  const type = named === '' ? textType : named;
  const decoder = type !== null && Object.hasOwn(decoders, type) ? decoders[type] : undefined;
  if (type !== null && decoder !== undefined)
    return decoder.backbone(part === null ? own : own.over(languageDefaults[type] ?? {}));
  refuseOthers(own, type);
  const backbone = nearestDecoder(own);
  const { family } = backbone;
  const warning =
    type === null
      ? message('model.nearestWithoutType', { family })
      : message('model.nearest', { modelType: type, family });
  return { ...backbone, warnings: [warning, ...backbone.warnings] };
}

/** A tower under a name: its children, parameters and buffers as a module. */
function towerNode(
  name: string,
  children: readonly ModuleNode[],
  own: readonly OwnTensor[] = [],
  buffers: readonly OwnBuffer[] = [],
): ModuleNode {
  return withBuffers(group(name, children, own), buffers);
}

export function visionLanguage(
  fields: Fields,
  modelClass: ModelClass,
  style: VisionLanguageStyle,
): ReadArchitecture {
  const language = languageBackbone(fields, style.textType);
  const languageName = style.languageName ?? 'language_model';
  const parts = style.parts(fields, language);
  const hasHead = isLanguageModel(modelClass);
  const path = hasHead ? 'model' : '';
  const inside = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const children = parts.flatMap((part) => {
    switch (part.kind) {
      case 'language':
        return [baseNode(language, languageName)];
      case 'tower':
        return [part.tower.node];
      case 'connector':
        return [part.node];
      case 'unknown':
        return [];
    }
  });
  const own = style.ownParameters?.(language) ?? [];
  const head = hasHead
    ? languageModelHead(language, inside(languageName), {
        ...language.head,
        name: 'lm_head',
        tied: isTied(fields, language, style.tie),
      })
    : null;
  return {
    family: style.family,
    className: modelClass.name,
    stacks: parts
      .flatMap((part) => stacksOf(part, language, languageName))
      .map((stack) => placed(stack, path)),
    connectors: parts
      .flatMap((part) => connectorsOf(part))
      .map((connector) => ({
        ...connector,
        path: inside(connector.path),
      })),
    head: head?.facts ?? { kind: 'none' },
    modules:
      head === null ? group('', children, own) : group('', [group(path, children, own), ...head.nodes]),
    warnings: [
      ...language.warnings,
      ...parts.flatMap((part) => warningsOf(part)),
      ...classWarnings(modelClass, hasHead),
    ],
  };
}

function stacksOf(part: Part, language: Backbone, languageName: string): readonly Stack[] {
  if (part.kind === 'language') return [placed(language.stack, languageName)];
  return part.kind === 'tower' ? [part.tower.stack] : [];
}

function connectorsOf(part: Part): readonly Connector[] {
  if (part.kind === 'connector') return [part.connector];
  return part.kind === 'tower' && part.tower.connector !== null ? [part.tower.connector] : [];
}

function warningsOf(part: Part): readonly Message[] {
  return part.kind === 'unknown'
    ? [message('model.partUnknown', { part: part.name, modelType: part.modelType })]
    : [];
}

function isTied(fields: Fields, language: Backbone, rule: TieRule): boolean {
  switch (rule.by) {
    case 'whole':
      return fields.flag('tie_word_embeddings', rule.fallback);
    case 'either':
      return fields.flag('tie_word_embeddings', false) || language.head.tied;
    case 'text':
      return language.head.tied;
    case 'never':
      return false;
  }
}

/** The part for a tower that is known, with its stack's path under `name`; else a part that is left out. */
export function towerPart(
  name: string,
  modelType: string,
  tower: {
    readonly stack: Stack;
    readonly children: readonly ModuleNode[];
    readonly ownParameters?: readonly OwnTensor[];
    readonly ownBuffers?: readonly OwnBuffer[];
    readonly connector?: Connector;
  } | null,
): Part {
  if (tower === null) return { kind: 'unknown', name, modelType };
  const connector = tower.connector ?? null;
  return {
    kind: 'tower',
    tower: {
      stack: placed(tower.stack, name),
      node: towerNode(name, tower.children, tower.ownParameters, tower.ownBuffers),
      connector: connector === null ? null : { ...connector, path: `${name}.${connector.path}` },
    },
  };
}

export function connectorPart(node: ModuleNode, facts: Omit<Connector, 'path'>): Part {
  return { kind: 'connector', node: renamed(node, node.name), connector: { ...facts, path: node.name } };
}
