import { savedBoundsSchema, type SavedBounds } from '../desktop/bounds';
import { readJsonFile, writeJsonFile } from './jsonFile';
import type { Log } from './log';

/** The remembered bounds, or null where there are none or the file is damaged: they are not worth a word. */
export async function readBounds(file: string): Promise<SavedBounds | null> {
  const read = await readJsonFile(file);
  const parsed = savedBoundsSchema.safeParse(read.kind === 'read' ? read.value : null);
  return parsed.success ? parsed.data : null;
}

export async function writeBounds(file: string, bounds: SavedBounds, log: Log): Promise<void> {
  try {
    await writeJsonFile(file, bounds);
  } catch (error) {
    log.warn('The place of the window cannot be remembered.', error);
  }
}
