import type { Dialogs, FileQuestion, FolderQuestion, Question } from './dialogs';

/** Dialogs that a test answers beforehand and reads back. Only in a build made for tests: see `openDialogs.ts`. */
export class ScriptedDialogs implements Dialogs {
  readonly asked: (Question | FileQuestion | FolderQuestion)[] = [];
  private readonly answers: string[] = [];

  /** Queues the answer to the next question: a button's id, or the path of a file or folder. */
  answerNext(answer: string): void {
    this.answers.push(answer);
  }

  /** The queued answer where it is one of the buttons, the safe button otherwise. */
  ask(question: Question): Promise<string> {
    this.asked.push(question);
    const answer = this.answers.shift();
    const chosen = question.buttons.find((button) => button.id === answer);
    return Promise.resolve(chosen?.id ?? question.safeButtonId);
  }

  chooseFile(question: FileQuestion): Promise<string | null> {
    this.asked.push(question);
    return Promise.resolve(this.answers.shift() ?? null);
  }

  chooseFolder(question: FolderQuestion): Promise<string | null> {
    this.asked.push(question);
    return Promise.resolve(this.answers.shift() ?? null);
  }
}
