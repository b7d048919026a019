/** What stands on a button of a question, and the name its choice goes by. */
interface DialogButton {
  readonly id: string;
  readonly label: string;
}

/** A question that the app itself asks, in words already translated. */
export interface Question {
  /** Names the question in tests and in the log. */
  readonly id: string;
  readonly severity: 'info' | 'question' | 'warning' | 'error';
  readonly title: string;
  readonly text: string;
  readonly detail: string | null;
  readonly buttons: readonly DialogButton[];
  /** The button that is chosen by Enter, Escape and closing: where something is ended or replaced, the harmless one. */
  readonly safeButtonId: string;
}

export interface FileQuestion {
  readonly id: string;
  readonly title: string;
  readonly buttonLabel: string;
  /** Where the dialog begins; newer Electrons would begin in Downloads. */
  readonly folder: string;
  readonly filters: readonly { readonly name: string; readonly extensions: readonly string[] }[];
}

export type FolderQuestion = Omit<FileQuestion, 'filters'>;

/** The system's own dialogs. Behind an interface, because a native dialog cannot be answered by a test. */
export interface Dialogs {
  /** The id of the chosen button. */
  ask(question: Question): Promise<string>;
  /** The absolute path of the chosen file, or null where nothing was chosen. */
  chooseFile(question: FileQuestion): Promise<string | null>;
  /** The absolute path of the chosen folder, which may have just been made, or null where nothing was chosen. */
  chooseFolder(question: FolderQuestion): Promise<string | null>;
}
