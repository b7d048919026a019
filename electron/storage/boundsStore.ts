import { savedBoundsSchema, type SavedBounds } from '../desktop/bounds';
import { readJsonFile } from './jsonFile';
import { JsonWriter } from './jsonWriter';
import type { Log } from './log';

/**
 * The remembered bounds of the window, in a file of their own: they change often, and a damaged one is not worth a
 * word.
 */
export class BoundsStore {
  private constructor(
    private readonly writer: JsonWriter,
    private current: SavedBounds | null,
  ) {}

  /** Never rejects; a missing or damaged file counts as nothing remembered. */
  static async open(file: string, log: Log): Promise<BoundsStore> {
    const read = await readJsonFile(file);
    const parsed = savedBoundsSchema.safeParse(read.kind === 'read' ? read.value : null);
    const warn = (error: unknown): void => log.warn('The place of the window cannot be remembered.', error);
    return new BoundsStore(new JsonWriter(file, warn), parsed.success ? parsed.data : null);
  }

  /** What was last saved, in this run or an earlier one; null before the first time. */
  saved(): SavedBounds | null {
    return this.current;
  }

  save(bounds: SavedBounds): void {
    this.current = bounds;
    this.writer.write(bounds);
  }

  /** Resolves when what was saved is on disk or has failed to get there. */
  flush(): Promise<void> {
    return this.writer.flush();
  }
}
