/** Sizes that differ between layers, as transformers 5 writes them. */
import { isRecord, ConfigFields } from './configFields';

/**
 * The config as layer `index` sees it: its entry of `per_layer_config` (keys such as `5` or `05`) over the rest. Null
 * where the file has no such table.
 */
export function layerFields(fields: ConfigFields, index: number): ConfigFields | null {
  const table = fields.part('per_layer_config');
  if (table === null) return null;
  const entry = Object.entries(table.values).find(([key]) => Number(key) === index)?.[1];
  return isRecord(entry) ? new ConfigFields(entry, table.pathOf(String(index))).over(fields.values) : fields;
}
