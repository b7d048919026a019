import { writeJsonFile, type JsonLayout } from './jsonFile';

/** Writes one file in the background, one write at a time; of several that wait only the newest is carried out. */
export class JsonWriter {
  private writing: Promise<void> = Promise.resolve();
  private newest: object | null = null;

  /** `onFailure` is told what the system says where the file cannot be written. */
  constructor(
    private readonly file: string,
    private readonly onFailure: (error: unknown) => void,
    private readonly layout: JsonLayout = 'indented',
  ) {}

  /** Replaces the whole file by this value. */
  write(value: object): void {
    this.newest = value;
    this.writing = this.writing.then(async () => {
      if (this.newest !== value) return;
      try {
        await writeJsonFile(this.file, value, this.layout);
      } catch (error) {
        this.onFailure(error);
      }
    });
  }

  /** Resolves when what was given is on disk or has failed to get there. */
  async flush(): Promise<void> {
    await this.writing;
  }
}
