/**
 * "Measure here": two steps of a plan with the person's own Python. Main writes the plan's files itself, shows what it will
 * run, asks, runs it in a folder of its own, and keeps what came of it as a receipt.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Snapshot } from '../../shared/alerts/snapshot';
import { message, type Message } from '../../shared/i18n/message';
import type { Locale } from '../../shared/i18n/translate';
import { launchFolder } from '../../shared/launch/folder';
import type { LaunchPlan, PlannedRank } from '../../shared/launch/plan';
import { planId, savedPlanOf, type SavedPlan } from '../../shared/launch/savedPlan';
import {
  commandText,
  measureArguments,
  measureEnvironment,
  neededPackages,
} from '../../shared/measure/command';
import {
  measuredOutcome,
  preflightOutcome,
  type Outcome,
  type ProgramEnd,
} from '../../shared/measure/outcome';
import { preflightArguments, readPreflight } from '../../shared/measure/preflight';
import { measureRefusal } from '../../shared/measure/refusal';
import type { MeasureRun, MeasureState } from '../../shared/measure/state';
import type { RankLog } from '../../shared/receipts/rankLog';
import type { Receipt } from '../../shared/receipts/types';
import type { Dialogs } from '../desktop/ports/dialogs';
import { isExecutable } from '../programs/programCall';
import { problemText } from '../errors';
import type { Log } from '../storage/log';
import { CannotMeasure } from './cannotMeasure';
import { choosePythonQuestion, measureQuestion } from './questions';
import { guardedWords, runGroup, type GroupLimits, type RunningGroup } from './runGroup';
import { OutputTail } from './outputTail';

export interface MeasuringServices {
  readonly pythonPath: () => string | null;
  readonly savePythonPath: (file: string) => void;
  readonly isReadOnly: () => boolean;
  readonly latest: () => Snapshot | null;
  readonly dialogs: Dialogs;
  readonly locale: () => Locale;
  readonly platform: NodeJS.Platform;
  readonly appVersion: string;
  /** Where the folders to measure in are made. */
  readonly temporaryFolder: string;
  /** What the started Python gets beside what measuring adds. */
  readonly environment: NodeJS.ProcessEnv;
  readonly limits: { readonly looking: GroupLimits; readonly measuring: GroupLimits };
  readonly readLogs: (
    folder: string,
    ranks: readonly PlannedRank[],
    since: number,
  ) => Promise<ReadonlyMap<number, RankLog>>;
  /** Keeps a receipt of what the logs told and what was seen of the run's processes; gives it back. */
  readonly keep: (
    plan: SavedPlan,
    startedAt: number,
    logs: ReadonlyMap<number, RankLog>,
    end: 'ended' | 'failed' | 'freed',
  ) => Receipt;
  readonly remember: (plan: SavedPlan) => void;
  /** Seconds since the epoch. */
  readonly clock: () => number;
  readonly log: Log;
  readonly onChange: (state: MeasureState) => void;
}

const second = 1000;
export const measuringLimits = {
  // Importing PyTorch from a slow disk takes half a minute.
  looking: { timeoutMs: 120 * second, maxBytes: 1024 * 1024, graceMs: 2 * second },
  measuring: { timeoutMs: 600 * second, maxBytes: 16 * 1024 * 1024, graceMs: 10 * second },
} as const satisfies MeasuringServices['limits'];

const tellEveryMs = 250;
/** The app's own end does not wait for long (electron/desktop/shutdown.ts). */
const quitGraceMs = 1000;

interface Found {
  readonly outcome: Outcome;
  readonly output: string;
}

export class Measuring {
  private run: MeasureRun | null = null;
  private group: RunningGroup | null = null;
  private underWay: Promise<void> | null = null;
  private stopped = false;
  private telling: NodeJS.Timeout | null = null;

  constructor(private readonly services: MeasuringServices) {}

  state(): MeasureState {
    return { python: this.services.pythonPath(), run: this.run };
  }

  /** Asks for the Python in main's own dialog. */
  async choosePython(): Promise<MeasureState> {
    const { dialogs, locale, platform, savePythonPath } = this.services;
    const chosen = await dialogs.chooseFile(choosePythonQuestion(locale(), platform));
    if (chosen !== null) savePythonPath(chosen);
    this.tell();
    return this.state();
  }

  /**
   * Asks, and starts where the person agrees; what comes of it is told by events. Throws CannotMeasure where nothing may be
   * started or the plan cannot be measured here.
   */
  async start(plan: LaunchPlan, gpuIndices: readonly number[] | null): Promise<MeasureState> {
    if (this.run?.kind === 'question' || this.run?.kind === 'running')
      throw new CannotMeasure('failed', message('measure.busy'));
    this.mayMeasure(plan);
    const before = this.run;
    this.show({ kind: 'question', planId: planId(plan) });
    const python = await this.agree(plan, gpuIndices).finally(() => this.show(before));
    if (python === null || this.stopped) return this.state();
    // The question may have stood there for long.
    this.mayMeasure(plan);
    if (!isExecutable(python)) {
      // Where setpriv starts it, only an exit code would tell.
      this.done(plan, critical(message('measure.notStarted', { code: 'ENOENT' })), '');
      return this.state();
    }
    this.underWay = this.carryOut(plan, python, gpuIndices);
    return this.state();
  }

  /** Ends what runs; the outcome is told by an event. */
  stop(): MeasureState {
    this.group?.stop();
    if (this.run?.kind === 'running') this.show({ ...this.run, stopping: true });
    return this.state();
  }

  /** Ends what runs; resolves when no process of it is left. */
  async dispose(): Promise<void> {
    this.stopped = true;
    this.group?.stop(quitGraceMs);
    await this.underWay;
    if (this.telling !== null) clearTimeout(this.telling);
  }

  private mayMeasure(plan: LaunchPlan): void {
    const { isReadOnly, latest } = this.services;
    if (isReadOnly()) throw new CannotMeasure('read-only', message('measure.readOnly'));
    const cards = latest()?.cards.filter(({ lost }) => !lost) ?? [];
    const why = measureRefusal(plan, cards.length);
    if (why !== null) throw new CannotMeasure('failed', why);
  }

  /** The Python to run, where the person agrees to what is shown. */
  private async agree(plan: LaunchPlan, gpuIndices: readonly number[] | null): Promise<string | null> {
    const { dialogs, limits, locale, pythonPath } = this.services;
    if (pythonPath() === null) await this.choosePython();
    const python = pythonPath();
    if (python === null) return null;
    const question = measureQuestion(locale(), {
      name: plan.name,
      commands: [
        commandText(guardedWords(python, preflightArguments(neededPackages(plan).map(({ name }) => name)))),
        commandText(guardedWords(python, measureArguments(plan))),
      ],
      environment: measureEnvironment(plan, '…', gpuIndices),
      limitSeconds: limits.measuring.timeoutMs / second,
    });
    return (await dialogs.ask(question)) === 'measure' ? python : null;
  }

  private async carryOut(
    plan: LaunchPlan,
    python: string,
    gpuIndices: readonly number[] | null,
  ): Promise<void> {
    const { log, temporaryFolder } = this.services;
    log.info(`Measuring the plan ${planId(plan)} begins.`);
    let found: Found;
    try {
      const folder = await mkdtemp(path.join(temporaryFolder, 'headroom-measure-'));
      try {
        found = await this.measure(plan, python, folder, gpuIndices);
      } finally {
        this.group = null;
        await rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
      }
    } catch (error) {
      log.error('A measurement failed.', error);
      found = {
        outcome: critical(message('measure.folderFailed', { problem: problemText(error) })),
        output: '',
      };
    }
    this.done(plan, found.outcome, found.output);
  }

  /** Writes the plan's files, looks at the Python, runs the two steps, and keeps the receipt. */
  private async measure(
    plan: LaunchPlan,
    python: string,
    folder: string,
    gpuIndices: readonly number[] | null,
  ): Promise<Found> {
    const { appVersion, clock, keep, limits, locale, readLogs, remember } = this.services;
    for (const { name, text } of launchFolder(plan, locale(), appVersion))
      await writeFile(path.join(folder, name), text);
    const mark = randomBytes(16).toString('hex');
    const environment = {
      ...withoutOurs(this.services.environment),
      ...measureEnvironment(plan, mark, gpuIndices),
    };
    const call = { command: python, folder, environment, mark };

    const names = neededPackages(plan).map(({ name }) => name);
    const looked = await this.step(plan, 'looking', { ...call, args: preflightArguments(names) });
    const limit = limits.looking.timeoutMs / second;
    const preflight = preflightOutcome(looked.end, readPreflight(looked.output), plan, python, limit);
    if (preflight !== null) return { outcome: preflight, output: looked.output };

    const saved = savedPlanOf(plan, appVersion);
    remember(saved);
    const startedAt = clock();
    const ran = await this.step(plan, 'measuring', { ...call, args: measureArguments(plan) });
    const logs = await readLogs(folder, saved.ranks, startedAt);
    const receipt = keep(saved, startedAt, logs, endOf(ran.end));
    const outcome = measuredOutcome(ran.end, receipt, limits.measuring.timeoutMs / second);
    return { outcome, output: ran.output };
  }

  /** Runs one program and shows how it goes. */
  private async step(
    plan: LaunchPlan,
    phase: 'looking' | 'measuring',
    call: Parameters<typeof runGroup>[0],
  ): Promise<{ readonly end: ProgramEnd; readonly output: string }> {
    const limits = this.services.limits[phase];
    const tail = new OutputTail();
    const running = {
      kind: 'running',
      planId: planId(plan),
      phase,
      startedAt: this.services.clock(),
      limitSeconds: limits.timeoutMs / second,
      command: commandText(guardedWords(call.command, call.args)),
      stopping: false,
    } as const;
    this.show({ ...running, lines: [] });
    this.group = runGroup(call, limits, (text) => {
      tail.add(text);
      const stopping = this.run?.kind === 'running' && this.run.stopping;
      this.run = { ...running, lines: tail.lastLines(), stopping };
      this.telling ??= setTimeout(() => this.tell(), tellEveryMs);
    });
    if (this.stopped) this.group.stop(quitGraceMs);
    return { end: await this.group.ended, output: tail.text() };
  }

  private done(plan: LaunchPlan, { isFailure, level, texts }: Outcome, output: string): void {
    this.services.log.info(
      `Measuring the plan ${planId(plan)} ended: ${texts.map(({ key }) => key).join(', ')}.`,
    );
    this.show({ kind: 'done', planId: planId(plan), level, texts, output: isFailure ? output : null });
  }

  private show(run: MeasureRun | null): void {
    this.run = run;
    this.tell();
  }

  private tell(): void {
    if (this.telling !== null) clearTimeout(this.telling);
    this.telling = null;
    if (!this.stopped) this.services.onChange(this.state());
  }
}

function endOf(end: ProgramEnd): 'ended' | 'failed' | 'freed' {
  if (end.kind === 'exited') return end.exitCode === 0 ? 'ended' : 'failed';
  return end.kind === 'not-started' ? 'failed' : 'freed';
}

const critical = (text: Message): Outcome => ({ level: 'critical', texts: [text], isFailure: false });

/** The person's environment without what Electron, Node and Headroom set for themselves. */
function withoutOurs(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(ELECTRON_|NODE_|HEADROOM_|CHROME_)/.test(name)),
  );
}
