/** Models that can be named without a file. */
import type { CatalogueEntry } from './entry';
import { googleModels } from './google';
import { llamaModels } from './llama';
import { mistralModels } from './mistral';
import { decoderModels } from './decoder';
import { encoderModels } from './encoder';
import { qwenModels } from './qwen';

export const catalogue: readonly CatalogueEntry[] = [
  ...llamaModels,
  ...mistralModels,
  ...qwenModels,
  ...googleModels,
  ...decoderModels,
  ...encoderModels,
];

/** The entry of that id, in any case; null where there is none. */
export function catalogueEntry(id: string): CatalogueEntry | null {
  return catalogue.find((entry) => entry.id === id.toLowerCase()) ?? null;
}
