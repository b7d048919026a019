import type { ElectronApplication } from 'playwright-core';

/** What the app asked with a native dialog. */
interface AskedQuestion {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly detail: string | null;
  readonly buttons: readonly { readonly id: string; readonly label: string }[];
  readonly safeButtonId: string;
}

/** The dialogs of the test build (electron/desktop/ports/scriptedDialogs.ts), seen from a test. */
export interface ScriptedDialogs {
  /** Answers the next question with a button's id, or the next file dialog with a path. */
  answerNext(answer: string): Promise<void>;
  asked(): Promise<readonly AskedQuestion[]>;
}

interface MainGlobals {
  readonly headroomDialogs?: { readonly asked: readonly AskedQuestion[]; answerNext(answer: string): void };
}

export function scriptedDialogs(electron: ElectronApplication): ScriptedDialogs {
  return {
    answerNext: (answer) =>
      electron.evaluate((_electron, value) => {
        (globalThis as MainGlobals).headroomDialogs?.answerNext(value);
      }, answer),
    asked: () => electron.evaluate(() => (globalThis as MainGlobals).headroomDialogs?.asked ?? []),
  };
}
