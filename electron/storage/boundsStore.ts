import { savedBoundsSchema, type SavedBounds } from '../desktop/bounds';
import { readJsonFile, writeJsonFile } from './jsonFile';
import type { Log } from './log';

/**
 * The remembered bounds of the window, in a file of their own: they change often, and a damaged one is not worth a
 * word. Writes follow one another, so that the last one wins.
 */
export class BoundsStore {
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly file: string,
    private readonly log: Log,
    private current: SavedBounds | null,
  ) {}

  /** Never rejects; a missing or damaged file counts as nothing remembered. */
  static async open(file: string, log: Log): Promise<BoundsStore> {
    const read = await readJsonFile(file);
    const parsed = savedBoundsSchema.safeParse(read.kind === 'read' ? read.value : null);
    return new BoundsStore(file, log, parsed.success ? parsed.data : null);
  }

  /** What was last saved, in this run or an earlier one; null before the first time. */
  saved(): SavedBounds | null {
    return this.current;
  }

  save(bounds: SavedBounds): void {
    this.current = bounds;
    this.writing = this.writing.then(async () => {
      try {
        await writeJsonFile(this.file, bounds);
      } catch (error) {
        this.log.warn('The place of the window cannot be remembered.', error);
      }
    });
  }

  /** Resolves when what was saved is on disk or has failed to get there. */
  async flush(): Promise<void> {
    await this.writing;
  }
}
