import type { Finding } from '../../shared/check/types';
import type { CheckRunner } from '../check/runCheck';

/** The script that is being looked at; kept while other places are shown. */
export class CheckedScript {
  /** What stands in the paste field. */
  draft = $state('');
  /** The text that was checked, null while none was. */
  text = $state.raw<string | null>(null);
  name = $state<string | null>(null);
  findings = $state.raw<readonly Finding[]>([]);
  /** The finding that is explained, by its place in the list. */
  chosen = $state<number | null>(null);
  trouble = $state<'not-checked' | 'too-large' | 'failed' | null>(null);
  busy = $state(false);

  constructor(
    private readonly run: CheckRunner,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Checks a text; one without a name is taken for what it looks like. */
  async check(text: string, name: string | null): Promise<void> {
    this.busy = true;
    this.trouble = null;
    try {
      const findings = await this.run(name ?? '', text);
      if (findings === null) {
        this.trouble = 'not-checked';
        return;
      }
      this.text = text;
      this.name = name;
      this.findings = findings;
      this.chosen = findings.length > 0 ? 0 : null;
    } catch (error) {
      this.trouble = 'failed';
      this.report(error);
    } finally {
      this.busy = false;
    }
  }

  tooLarge(): void {
    this.trouble = 'too-large';
  }

  /** Back to the paste field; what was pasted is still there. */
  close(): void {
    this.text = null;
    this.findings = [];
    this.chosen = null;
  }
}
