import * as z from 'zod';
import { planAnswersSchema } from '../../shared/contract/planAnswers';
import type { PlanAnswers } from '../../shared/strategy/wizard/answers';
import { readJsonFile, writeJsonFile } from './jsonFile';
import type { Log } from './log';

const fileSchema = z.strictObject({ version: z.literal(1), answers: planAnswersSchema });

/**
 * The answers that the wizard was given, in a file of their own. A damaged file, or one of another version, is not
 * worth a word: the wizard then starts as it does the first time. Writes follow one another, so that the last one wins.
 */
export class PlanStore {
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly file: string,
    private readonly log: Log,
    private current: PlanAnswers | null,
  ) {}

  /** Never rejects; a missing or damaged file counts as nothing remembered. */
  static async open(file: string, log: Log): Promise<PlanStore> {
    const read = await readJsonFile(file);
    const parsed = fileSchema.safeParse(read.kind === 'read' ? read.value : null);
    return new PlanStore(file, log, parsed.data?.answers ?? null);
  }

  /** What was last saved, in this run or an earlier one; null before the first time. */
  saved(): PlanAnswers | null {
    return this.current;
  }

  save(answers: PlanAnswers): void {
    this.current = answers;
    this.writing = this.writing.then(async () => {
      try {
        await writeJsonFile(this.file, { version: 1, answers: this.current });
      } catch (error) {
        this.log.warn('The answers of the wizard cannot be remembered.', error);
      }
    });
  }

  /** Resolves when what was saved is on disk or has failed to get there. */
  async flush(): Promise<void> {
    await this.writing;
  }
}
