import type { ConfigFields } from '../../../model/configFields';
import type { ModuleNode } from '../../../model/modules';
import type { ListedTypes, Sizes } from '../../declaration';
import { type Tower, towerFields } from './patchTower';
import { type Part, connectorPart, language, towerPart } from './visionLanguage';
import { visionTower } from './visionTower';

/**
 * Tower, connector, language model. The tower is that of `vision_config`, of its own type or of `type`; where it is of an unknown type,
 * only the language model is read. Where the file describes no tower, it is the one that `missing` describes.
 */
export function towerFirst(
  fields: ConfigFields,
  names: { readonly tower: string; readonly type: string; readonly missing: Sizes },
  listed: ListedTypes,
  connector: (tower: Tower) => ModuleNode,
): readonly Part[] {
  const own = towerFields(fields, 'vision_config', fields.has('vision_config') ? {} : names.missing);
  const modelType = own.text('model_type', names.type);
  const tower = visionTower(own, modelType, listed);
  if (tower === null) return [{ kind: 'unknown', name: names.tower, modelType }, language];
  return [towerPart(names.tower, tower), connectorPart(connector(tower)), language];
}
