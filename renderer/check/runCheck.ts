import type { Finding } from '../../shared/check/types';
import { WorkerCalls } from '../ui/workerCalls';

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
  const calls = new WorkerCalls<CheckAnswer>(
    () => new Worker(new URL('./checkWorker.ts', import.meta.url), { type: 'module' }),
  );
  return (name, text) => calls.ask({ name, text }, ({ findings }) => ({ answer: findings }));
}
