/**
 * A child that prints lines for as long as we live. It is started again, with growing pauses, when it ends or falls
 * silent; there is never a second one while the first is still there, even when it cannot be killed.
 */
import { StringDecoder } from 'node:string_decoder';
import { startProgram, type Child, type ProgramCall } from '../programs/programCall';

export interface LineStreamLimits {
  /** Silence after which the child counts as hung; null where silence is normal. */
  readonly silenceMs: number | null;
  /** The same before its first line, which takes long without persistence mode. */
  readonly firstLineMs: number | null;
  /** Silence, first line or later, after which a hung child is ended. */
  readonly giveUpMs: number;
  readonly maxLineBytes: number;
  readonly maxBytesPerSecond: number;
}

export type StreamState =
  | { readonly kind: 'stopped' }
  /** Started, or running as it should. */
  | { readonly kind: 'running' }
  | { readonly kind: 'silent'; readonly sinceMs: number }
  /** Was told to end and does not: it waits inside the driver. */
  | { readonly kind: 'stuck'; readonly sinceMs: number; readonly pid: number | null }
  /** Ended; `lastLines` is what it printed last. It is started again after a pause. */
  | {
      readonly kind: 'ended';
      readonly exitCode: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly lastLines: string;
    }
  | { readonly kind: 'flooded' }
  | { readonly kind: 'notStarted'; readonly code: string };

export interface LineStreamHandlers {
  readonly onLine: (line: string) => void;
  /** After each change of state but the plain passing of time. */
  readonly onState: (state: StreamState) => void;
}

/** How often a child that is being ended is looked at. */
const endingCheckMs = 250;
const firstPauseMs = 500;
const longestPauseMs = 10_000;
/** A child that ran so long starts with the shortest pause again. */
const provenMs = 10_000;
/** How long after SIGTERM follows SIGKILL, and after that the child counts as stuck. */
const killAfterMs = 1000;
const stuckAfterMs = 3000;
const lastLinesKept = 20;
/** A longer time would overflow Node's timers. */
const longestTimerMs = 2 ** 31 - 1;

export class LineStream {
  private child: Child | null = null;
  private current: StreamState = { kind: 'stopped' };
  private wanted = false;
  private startedAt = 0;
  private lastOutputAt: number | null = null;
  private pauseMs = firstPauseMs;
  private restartTimer: NodeJS.Timeout | null = null;
  private checkTimer: NodeJS.Timeout | null = null;
  private endingSince: number | null = null;
  private replacement: StreamState | null = null;

  constructor(
    private call: ProgramCall,
    private args: readonly string[],
    private limits: LineStreamLimits,
    private readonly handlers: LineStreamHandlers,
  ) {}

  state(): StreamState {
    return this.current;
  }

  start(): void {
    if (this.wanted) return;
    this.wanted = true;
    // One that is still being ended is followed by the next when it is gone.
    if (this.child === null) this.startChild();
    else this.replacement = { kind: 'running' };
  }

  /** Runs with other arguments from now on; the child that runs is ended first. */
  restartWith(call: ProgramCall, args: readonly string[], limits: LineStreamLimits): void {
    this.call = call;
    this.args = args;
    this.limits = limits;
    this.pauseMs = firstPauseMs;
    if (!this.wanted) return;
    if (this.child === null) this.startChild();
    else this.endChild({ kind: 'running' });
  }

  /** Ends the child; resolves when it is gone, or after a while where it cannot be ended. */
  async stop(): Promise<void> {
    this.wanted = false;
    this.current = { kind: 'stopped' };
    if (this.restartTimer !== null) clearTimeout(this.restartTimer);
    this.restartTimer = null;
    const child = this.child;
    if (child !== null) {
      this.endChild({ kind: 'stopped' });
      await goneWithin(child, killAfterMs + stuckAfterMs);
    }
    if (!this.wanted) this.clearCheck();
  }

  private startChild(): void {
    if (this.restartTimer !== null) clearTimeout(this.restartTimer);
    this.restartTimer = null;
    this.startedAt = Date.now();
    this.lastOutputAt = null;
    this.endingSince = null;
    this.replacement = null;
    const child = startProgram(this.call, this.args);
    this.child = child;
    this.armCheck();
    const lastLines: string[] = [];
    const reader = new LineReader(this.limits.maxLineBytes, (line) => {
      lastLines.push(line);
      if (lastLines.length > lastLinesKept) lastLines.shift();
      this.handlers.onLine(line);
    });
    const budget = new ByteBudget(this.limits.maxBytesPerSecond);
    const read = (chunk: Buffer): void => {
      if (this.child !== child || this.endingSince !== null) return;
      const now = Date.now();
      if (!budget.take(chunk.length, now)) {
        this.endChild({ kind: 'flooded' });
        return;
      }
      const otherLimit = this.lastOutputAt === null || this.current.kind !== 'running';
      this.lastOutputAt = now;
      if (otherLimit) this.armCheck();
      if (this.current.kind !== 'running') this.change({ kind: 'running' });
      reader.add(chunk);
    };
    child.stdout.on('data', read);
    // nvidia-smi prints its failures on standard output; what wraps it may use the other.
    child.stderr.on('data', read);
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined)
        this.childGone(child, { kind: 'notStarted', code: error.code ?? error.message });
    });
    child.once('close', (exitCode, signal) => {
      reader.end();
      this.childGone(child, { kind: 'ended', exitCode, signal, lastLines: lastLines.join('\n') });
    });
  }

  private childGone(child: Child, state: StreamState): void {
    if (this.child !== child) return;
    this.child = null;
    const replacement = this.replacement;
    if (!this.wanted) return;
    if (replacement?.kind === 'running') {
      this.startChild();
      return;
    }
    this.change(replacement ?? state);
    if (Date.now() - this.startedAt > provenMs) this.pauseMs = firstPauseMs;
    // The handler may have asked for a restart with other arguments.
    if (this.child !== null) return;
    this.restartTimer = setTimeout(() => this.startChild(), this.pauseMs);
    this.pauseMs = Math.min(this.pauseMs * 2, longestPauseMs);
  }

  /** `after` is the state that the stream is left in when the child is gone; `running`: start the next at once. */
  private endChild(after: StreamState): void {
    if (this.child === null) return;
    this.replacement = after;
    if (this.endingSince !== null) return;
    this.endingSince = Date.now();
    this.child.kill('SIGTERM');
    this.child.stdout.destroy();
    this.child.stderr.destroy();
    this.armCheck();
  }

  /**
   * Sets the next check for when the child could have been silent for too long as things are. A line that comes
   * meanwhile moves nothing: the check finds it and is set anew, every few seconds instead of at every line.
   */
  private armCheck(): void {
    this.clearCheck();
    const dueAt = this.checkDueAt();
    if (dueAt === null) return;
    const waitMs = Math.min(Math.max(0, dueAt - Date.now()), longestTimerMs);
    this.checkTimer = setTimeout(() => {
      this.check(Date.now());
      this.armCheck();
    }, waitMs);
  }

  private clearCheck(): void {
    if (this.checkTimer !== null) clearTimeout(this.checkTimer);
    this.checkTimer = null;
  }

  /** Null where nothing can become of waiting. */
  private checkDueAt(): number | null {
    if (this.child === null) return null;
    if (this.endingSince !== null) return Date.now() + endingCheckMs;
    const limit = this.silenceLimit();
    if (limit === null) return null;
    const silentMs =
      this.current.kind === 'silent' ? this.limits.giveUpMs : Math.min(limit, this.limits.giveUpMs);
    return (this.lastOutputAt ?? this.startedAt) + silentMs + 1;
  }

  private silenceLimit(): number | null {
    return this.lastOutputAt === null ? this.limits.firstLineMs : this.limits.silenceMs;
  }

  private check(now: number): void {
    if (this.child === null) return;
    if (this.endingSince !== null) {
      const waited = now - this.endingSince;
      if (waited > killAfterMs) this.child.kill('SIGKILL');
      if (waited > killAfterMs + stuckAfterMs && this.wanted && this.current.kind !== 'stuck')
        this.change({ kind: 'stuck', sinceMs: this.endingSince, pid: this.child.pid ?? null });
      return;
    }
    const since = this.lastOutputAt ?? this.startedAt;
    const limit = this.silenceLimit();
    if (limit === null) return;
    const silent = now - since;
    if (silent > limit && this.current.kind !== 'silent') this.change({ kind: 'silent', sinceMs: since });
    if (silent > this.limits.giveUpMs) this.endChild({ kind: 'silent', sinceMs: since });
  }

  private change(state: StreamState): void {
    this.current = state;
    this.handlers.onState(state);
  }
}

/** Resolves when the child has ended, or after the time. */
function goneWithin(child: Child, ms: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Cuts what arrives into lines; a line over the cap is dropped whole. */
class LineReader {
  private readonly decoder = new StringDecoder('utf8');
  private rest = '';
  private dropping = false;

  constructor(
    private readonly maxLineBytes: number,
    private readonly onLine: (line: string) => void,
  ) {}

  add(chunk: Buffer): void {
    const lines = (this.rest + this.decoder.write(chunk)).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.finish(line);
    if (this.rest.length > this.maxLineBytes) {
      this.rest = '';
      this.dropping = true;
    }
  }

  end(): void {
    if (this.rest !== '') this.finish(this.rest);
    this.rest = '';
  }

  private finish(line: string): void {
    if (this.dropping || line.length > this.maxLineBytes) this.dropping = false;
    else this.onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
  }
}

/** Bytes allowed in each second. */
class ByteBudget {
  private secondBegan = 0;
  private taken = 0;

  constructor(private readonly bytesPerSecond: number) {}

  take(bytes: number, now: number): boolean {
    if (now - this.secondBegan >= 1000) {
      this.secondBegan = now;
      this.taken = 0;
    }
    this.taken += bytes;
    return this.taken <= this.bytesPerSecond;
  }
}
