import type { Finding } from '../../shared/check/types';

export interface CheckQuestion {
  readonly id: number;
  readonly name: string;
  readonly text: string;
}

export interface CheckAnswer {
  readonly id: number;
  /** Null where the text is nothing that can be checked. */
  readonly findings: readonly Finding[] | null;
}

/** Checks a text, away from the page where it can; the name tells its kind. */
export type CheckRunner = (name: string, text: string) => Promise<readonly Finding[] | null>;

/** A worker that answers one question after the other and is made with the first. */
export function workerRunner(): CheckRunner {
  let worker: Worker | null = null;
  let lastId = 0;
  return (name, text) => {
    worker ??= new Worker(new URL('./checkWorker.ts', import.meta.url), { type: 'module' });
    const current = worker;
    lastId += 1;
    const question: CheckQuestion = { id: lastId, name, text };
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        current.removeEventListener('message', onmessage);
        current.removeEventListener('error', onerror);
      };
      const onmessage = ({ data }: MessageEvent<CheckAnswer>): void => {
        if (data.id !== question.id) return;
        finish();
        resolve(data.findings);
      };
      const onerror = (event: ErrorEvent): void => {
        finish();
        reject(new Error(event.message));
      };
      current.addEventListener('message', onmessage);
      current.addEventListener('error', onerror);
      current.postMessage(question);
    });
  };
}
