import type { Diagnosis } from '../../shared/doctor/types';
import type { Excerpt } from '../../shared/doctor/view/excerpt';

/** What can be read: a pasted text, or a file whose bytes are read piece by piece. */
export type DoctorSource = string | File;

export type DoctorQuestion =
  | { readonly id: number; readonly kind: 'read'; readonly source: DoctorSource }
  /** The lines around another failure of the source that was read last. */
  | { readonly id: number; readonly kind: 'excerpt'; readonly source: DoctorSource; readonly line: number };

export interface DoctorReading {
  readonly diagnosis: Diagnosis;
  readonly excerpt: Excerpt;
}

export type DoctorReply =
  | { readonly id: number; readonly kind: 'progress'; readonly share: number }
  | { readonly id: number; readonly kind: 'reading'; readonly reading: DoctorReading }
  | { readonly id: number; readonly kind: 'excerpt'; readonly excerpt: Excerpt }
  | { readonly id: number; readonly kind: 'failed'; readonly reason: string };

/** Reads texts away from the page, so that a log of any size never holds it up. */
export interface DoctorRunner {
  read(source: DoctorSource, onprogress: (share: number) => void): Promise<DoctorReading>;
  excerpt(source: DoctorSource, line: number): Promise<Excerpt>;
  /** Drops what is being read; its promise is never settled. */
  stop(): void;
}

/** A worker that is made with the first question, and anew after it was stopped. */
export function workerRunner(): DoctorRunner {
  let worker: Worker | null = null;
  let lastId = 0;

  function ask<Answer>(
    make: (id: number) => DoctorQuestion,
    take: (reply: DoctorReply) => { readonly answer: Answer } | null,
  ): Promise<Answer> {
    worker ??= new Worker(new URL('./doctorWorker.ts', import.meta.url), { type: 'module' });
    const current = worker;
    lastId += 1;
    const question = make(lastId);
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        current.removeEventListener('message', onmessage);
        current.removeEventListener('error', onerror);
      };
      const onmessage = ({ data }: MessageEvent<DoctorReply>): void => {
        if (data.id !== question.id) return;
        if (data.kind === 'failed') {
          finish();
          reject(new Error(data.reason));
          return;
        }
        const taken = take(data);
        if (taken === null) return;
        finish();
        resolve(taken.answer);
      };
      const onerror = (event: ErrorEvent): void => {
        finish();
        reject(new Error(event.message));
      };
      current.addEventListener('message', onmessage);
      current.addEventListener('error', onerror);
      current.postMessage(question);
    });
  }

  return {
    read: (source, onprogress) =>
      ask(
        (id) => ({ id, kind: 'read', source }),
        (reply) => {
          if (reply.kind === 'progress') onprogress(reply.share);
          return reply.kind === 'reading' ? { answer: reply.reading } : null;
        },
      ),
    excerpt: (source, line) =>
      ask(
        (id) => ({ id, kind: 'excerpt', source, line }),
        (reply) => (reply.kind === 'excerpt' ? { answer: reply.excerpt } : null),
      ),
    stop() {
      worker?.terminate();
      worker = null;
    },
  };
}
