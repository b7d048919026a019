/**
 * One looped query of nvidia-smi: its child, the fields that this driver knows, and its rows put together to rounds.
 * A refused field is dropped here; every other state of the child is the caller's.
 */
import type { Problem } from '../../shared/gpu/types';
import { KiB, MiB } from '../../shared/units';
import { LineStream, type LineStreamLimits, type StreamState } from './lineStream';
import type { ProgramCall } from '../programs/programCall';
import { endProblems } from './smiProblems';
import type { FieldList } from './smiQuery';
import { loopArguments, type LoopQuestion } from './smiQuery';
import { TickCollector } from './tickCollector';

export interface QueryLoopOptions<Row> {
  readonly call: ProgramCall;
  readonly query: LoopQuestion['query'];
  readonly fields: FieldList;
  readonly intervalMs: number;
  /** Silence means that nobody answers, not that there is nothing to say. */
  readonly mustSpeak: boolean;
  /** Bus ids of the cards to ask; null: all. */
  readonly only: () => readonly string[] | null;
  readonly readerOf: (fields: readonly string[]) => (line: string) => Row | null;
  readonly wholeCount: (row: Row) => number | null;
  readonly beginsNext: (row: Row, rows: readonly Row[]) => boolean;
  readonly onRound: (rows: readonly Row[]) => void;
  readonly onState: (state: StreamState) => void;
  readonly log: (level: 'info' | 'warn', text: string) => void;
}

export const maxBytesPerSecond = 4 * MiB;
const maxLineBytes = 16 * KiB;
/** Rows of one round follow each other at once; what comes later belongs to the next. */
const quietMs = 60;
/** How long past its time an answer may be before the child counts as hung: shown within 5 s at one reading a second. */
const overdueMs = 3000;
const firstLineMs = 4500;
/** A child that is silent for so long is ended; a first answer may take some 25 s in a container without persistence. */
const giveUpMs = 30_000;

export class QueryLoop<Row> {
  private readonly stream: LineStream;
  private readonly rounds: TickCollector<Row>;
  private read: (line: string) => Row | null;
  private intervalMs: number;

  constructor(private readonly options: QueryLoopOptions<Row>) {
    this.intervalMs = options.intervalMs;
    this.read = options.readerOf(options.fields.fields());
    this.rounds = new TickCollector<Row>(
      { wholeCount: options.wholeCount, beginsNext: options.beginsNext, quietMs },
      options.onRound,
    );
    this.stream = new LineStream(options.call, this.arguments(), this.limits(), {
      onLine: (line) => {
        const row = this.read(line);
        if (row !== null) this.rounds.add(row);
      },
      onState: (state) => this.changed(state),
    });
  }

  state(): StreamState {
    return this.stream.state();
  }

  start(): void {
    this.stream.start();
  }

  async stop(): Promise<void> {
    this.rounds.clear();
    await this.stream.stop();
  }

  /** Asks anew: at another pace, or for other cards. */
  restart(intervalMs: number): void {
    this.intervalMs = intervalMs;
    this.rounds.clear();
    this.stream.restartWith(this.options.call, this.arguments(), this.limits());
  }

  private changed(state: StreamState): void {
    if (state.kind === 'ended') {
      this.rounds.clear();
      if (this.dropRefused(endProblems(this.options.call.command, state))) return;
    }
    this.options.onState(state);
  }

  private dropRefused(problems: readonly Problem[]): boolean {
    const refused = problems.flatMap(refusedField).filter((field) => this.options.fields.refuse(field));
    if (refused.length === 0) return false;
    this.options.log('info', `this driver does not know ${refused.join(', ')}; asked no more`);
    this.read = this.options.readerOf(this.options.fields.fields());
    this.restart(this.intervalMs);
    return true;
  }

  private arguments(): readonly string[] {
    const { query, fields, only } = this.options;
    return loopArguments({ query, fields: fields.fields(), intervalMs: this.intervalMs, only: only() });
  }

  private limits(): LineStreamLimits {
    return {
      silenceMs: this.options.mustSpeak ? this.intervalMs + overdueMs : null,
      firstLineMs: this.options.mustSpeak ? firstLineMs : null,
      giveUpMs: this.intervalMs + giveUpMs,
      maxLineBytes,
      maxBytesPerSecond,
    };
  }
}

function refusedField({ code, subject }: Problem): readonly string[] {
  return code === 'field-unknown' && subject !== null ? [subject] : [];
}
