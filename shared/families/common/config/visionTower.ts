import type { ConfigFields } from '../../../model/configFields';
import type { ListedTypes } from '../../declaration';
import type { Tower } from './patchTower';

/** The tower of a part of a config; null for a type that no family declares. */
export function visionTower(fields: ConfigFields, fallbackType: string, listed: ListedTypes): Tower | null {
  const type = listed.tower(fields.text('model_type', fallbackType));
  return type === null ? null : type.read(fields.over(type.defaults));
}
