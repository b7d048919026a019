import type { Message } from '../../../shared/i18n/message';
import type { CoursePoint } from '../../../shared/memorySnapshot/course';
import type { SnapshotReport, StackBytes } from '../../../shared/memorySnapshot/report';
import type { EntryRange } from '../../../shared/memorySnapshot/view/zoom';
import { WorkerCalls } from '../../ui/workerCalls';

export type SnapshotQuestion =
  | { readonly id: number; readonly kind: 'read'; readonly file: File }
  /** The course of a device between two entries. `device`: its place in the report. */
  | { readonly id: number; readonly kind: 'course'; readonly device: number; readonly range: EntryRange }
  /** Who holds what after an entry. */
  | { readonly id: number; readonly kind: 'stacks'; readonly device: number; readonly event: number };

export type SnapshotReply =
  | { readonly id: number; readonly kind: 'progress'; readonly share: number }
  | { readonly id: number; readonly kind: 'report'; readonly report: SnapshotReport }
  | { readonly id: number; readonly kind: 'course'; readonly points: readonly CoursePoint[] }
  | { readonly id: number; readonly kind: 'stacks'; readonly stacks: readonly StackBytes[] }
  /** The file is no snapshot that can be read. */
  | { readonly id: number; readonly kind: 'refused'; readonly reason: Message }
  | { readonly id: number; readonly kind: 'failed'; readonly reason: string };

/** Reads snapshots away from the page, and keeps the last one for what the view asks of it. */
export interface SnapshotRunner {
  read(
    file: File,
    onprogress: (share: number) => void,
  ): Promise<SnapshotReport | { readonly refused: Message }>;
  course(device: number, range: EntryRange): Promise<readonly CoursePoint[]>;
  stacks(device: number, event: number): Promise<readonly StackBytes[]>;
  /** Drops the snapshot and what is being read; those promises are never settled. */
  stop(): void;
}

export function snapshotRunner(): SnapshotRunner {
  const calls = new WorkerCalls<SnapshotReply>(
    () => new Worker(new URL('./snapshotWorker.ts', import.meta.url), { type: 'module' }),
  );
  return {
    read: (file, onprogress) =>
      calls.ask<SnapshotReport | { readonly refused: Message }>({ kind: 'read', file }, (reply) => {
        if (reply.kind === 'progress') onprogress(reply.share);
        if (reply.kind === 'failed') throw new Error(reply.reason);
        if (reply.kind === 'refused') return { answer: { refused: reply.reason } };
        return reply.kind === 'report' ? { answer: reply.report } : null;
      }),
    course: (device, range) =>
      calls.ask({ kind: 'course', device, range }, (reply) => {
        if (reply.kind === 'failed') throw new Error(reply.reason);
        return reply.kind === 'course' ? { answer: reply.points } : null;
      }),
    stacks: (device, event) =>
      calls.ask({ kind: 'stacks', device, event }, (reply) => {
        if (reply.kind === 'failed') throw new Error(reply.reason);
        return reply.kind === 'stacks' ? { answer: reply.stacks } : null;
      }),
    stop: () => calls.stop(),
  };
}
