import type { Diagnosis } from '../../shared/doctor/types';
import type { Excerpt } from '../../shared/doctor/view/excerpt';
import { WorkerCalls } from '../ui/workerCalls';

/** What can be read: a pasted text, or a file whose bytes are read piece by piece. */
export type DoctorSource = string | File;

export type DoctorQuestion =
  | { readonly id: number; readonly kind: 'read'; readonly source: DoctorSource }
  /** The lines around another failure of a source. */
  | { readonly id: number; readonly kind: 'excerpt'; readonly source: DoctorSource; readonly line: number };

export interface DoctorReading {
  readonly diagnosis: Diagnosis;
  readonly excerpt: Excerpt;
}

export type DoctorReply =
  | { readonly id: number; readonly kind: 'progress'; readonly share: number }
  | { readonly id: number; readonly kind: 'reading'; readonly reading: DoctorReading | null }
  | { readonly id: number; readonly kind: 'excerpt'; readonly excerpt: Excerpt }
  | { readonly id: number; readonly kind: 'failed'; readonly reason: string };

/** Reads texts away from the page, so that a log of any size never holds it up. */
export interface DoctorRunner {
  /** Null: the source is no text. */
  read(source: DoctorSource, onprogress: (share: number) => void): Promise<DoctorReading | null>;
  excerpt(source: DoctorSource, line: number): Promise<Excerpt>;
  /** Drops what is being read; its promise is never settled. */
  stop(): void;
}

export function workerRunner(): DoctorRunner {
  const calls = new WorkerCalls<DoctorReply>(
    () => new Worker(new URL('./doctorWorker.ts', import.meta.url), { type: 'module' }),
  );
  return {
    read: (source, onprogress) =>
      calls.ask({ kind: 'read', source }, (reply) => {
        if (reply.kind === 'progress') onprogress(reply.share);
        if (reply.kind === 'failed') throw new Error(reply.reason);
        return reply.kind === 'reading' ? { answer: reply.reading } : null;
      }),
    excerpt: (source, line) =>
      calls.ask({ kind: 'excerpt', source, line }, (reply) => {
        if (reply.kind === 'failed') throw new Error(reply.reason);
        return reply.kind === 'excerpt' ? { answer: reply.excerpt } : null;
      }),
    stop: () => calls.stop(),
  };
}
