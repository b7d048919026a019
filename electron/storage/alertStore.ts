import * as z from 'zod';
import { isRuleName, type AlertRule } from '../../shared/alerts/rules';
import { severities } from '../../shared/alerts/severity';
import type { AlertRecord } from '../../shared/alerts/watch';
import type { MessageKey } from '../../shared/i18n/message';
import { isMessageKey } from '../../shared/i18n/translate';
import { readJsonFile } from './jsonFile';
import { JsonWriter } from './jsonWriter';
import type { Log } from './log';

const text = z.strictObject({
  key: z.custom<MessageKey>(isMessageKey),
  values: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
const record = z.strictObject({
  alert: z.strictObject({
    id: z.string(),
    rule: z.custom<AlertRule>((name) => typeof name === 'string' && isRuleName(name)),
    severity: z.enum(severities),
    gpuIndex: z.int().min(0).nullable(),
    jobId: z.string().nullable(),
    jobTitle: z.string().nullable().default(null), // Not written by version 0.1.
    text,
    since: z.number(),
  }),
  endedAt: z.number().nullable(),
  outcome: z.enum(['eased', 'job-ended', 'expired']).nullable(),
});
const mostRecords = 1000;

/**
 * The alerts of this machine's own cards, in a file of their own, so that the morning after tells of the night. A
 * damaged file is not worth a word, and what another version wrote is left out.
 */
export class AlertStore {
  private constructor(
    private readonly writer: JsonWriter,
    private current: readonly AlertRecord[],
  ) {}

  /** Never rejects; a missing or damaged file counts as nothing remembered. */
  static async open(file: string, log: Log): Promise<AlertStore> {
    const read = await readJsonFile(file);
    const listed = z
      .array(z.unknown())
      .max(mostRecords)
      .safeParse(read.kind === 'read' ? read.value : null);
    const fitting = (listed.data ?? []).flatMap((value) => record.safeParse(value).data ?? []);
    const warn = (error: unknown): void => log.warn('The alerts cannot be remembered.', error);
    return new AlertStore(new JsonWriter(file, warn), fitting);
  }

  /** What was last saved, in this run or an earlier one. */
  saved(): readonly AlertRecord[] {
    return this.current;
  }

  save(changed: readonly AlertRecord[]): void {
    this.current = changed;
    this.writer.write(changed);
  }

  /** Resolves when what was saved is on disk or has failed to get there. */
  flush(): Promise<void> {
    return this.writer.flush();
  }
}
