import * as z from 'zod';
import { planAnswersSchema } from '../../shared/contract/planAnswers';
import type { PlanAnswers } from '../../shared/strategy/wizard/answers';
import { readJsonFile } from './jsonFile';
import { JsonWriter } from './jsonWriter';
import type { Log } from './log';

const fileSchema = z.strictObject({ version: z.literal(1), answers: planAnswersSchema });

/**
 * The answers that the wizard was given, in a file of their own. A damaged file, or one of another version, is not
 * worth a word: the wizard then starts as it does the first time.
 */
export class PlanFileStore {
  private constructor(
    private readonly writer: JsonWriter,
    private current: PlanAnswers | null,
  ) {}

  /** Never rejects; a missing or damaged file counts as nothing remembered. */
  static async open(file: string, log: Log): Promise<PlanFileStore> {
    const read = await readJsonFile(file);
    const parsed = fileSchema.safeParse(read.kind === 'read' ? read.value : null);
    const warn = (error: unknown): void => log.warn('The answers of the wizard cannot be remembered.', error);
    return new PlanFileStore(new JsonWriter(file, warn), parsed.data?.answers ?? null);
  }

  /** What was last saved, in this run or an earlier one; null before the first time. */
  saved(): PlanAnswers | null {
    return this.current;
  }

  save(answers: PlanAnswers): void {
    this.current = answers;
    this.writer.write({ version: 1, answers });
  }

  /** Resolves when what was saved is on disk or has failed to get there. */
  flush(): Promise<void> {
    return this.writer.flush();
  }
}
