/** `headroom free JOB`: ends one leftover after showing it, forces it after a second yes, and waits for its memory. */
import { setTimeout as pause } from 'node:timers/promises';
import type { EndingReport } from '../../shared/contract/ending';
import type { Snapshot } from '../../shared/alerts/snapshot';
import { message, type Message } from '../../shared/i18n/message';
import { translate } from '../../shared/i18n/translate';
import type { Protection } from '../../shared/jobs/stale/ending';
import { endsMoreThanShown, identitiesOf, isFreeable, isProven } from '../../shared/jobs/stale/freeing';
import { jobName, jobsCalled } from '../../shared/jobs/stale/naming';
import { printable } from '../../shared/printable';
import { problemText } from '../errors';
import { ownProtection } from '../ending/protectedProcesses';
import { cardMemory } from '../ending/cardMemory';
import { endQuestion, forceQuestion, warningsOf } from '../ending/describe';
import { endJob } from '../ending/endJob';
import { endingFile, writeEnding, type EndingLine } from '../ending/endingFile';
import { beginLine, endLine, signalLine } from '../ending/endingLog';
import { processControl } from '../ending/processControl';
import type { Arguments } from './arguments';
import { CommandError, type Command, type CommandIo, type ExitCode } from './command';
import { leftoverLines, leftoverOf, type Leftover } from './leftovers';
import { liveSnapshots } from './liveSnapshots';
import { chosenScene, observeMs, unreadCards, whileWatching, type Live } from './observe';
import { writeJson, writeLine } from './output';

/** The command over a source of live Snapshots; tests put their own in its place, look shorter and wait less politely. */
export const freeOver = (live: Live, lookMs: number, isHurried = () => false): Command => ({
  name: 'free',
  cleansUp: true,
  summary: message('ending.freeSummary'),
  positionals: [{ name: 'JOB', required: true }],
  flags: [
    { kind: 'switch', name: 'yes', help: message('ending.flagYes') },
    { kind: 'value', name: 'simulate', placeholder: 'SCENE', help: message('ending.flagSimulate') },
  ],
  async run(args, io) {
    const sceneId = chosenScene(args);
    return whileWatching(live, sceneId, lookMs, io.signal, (latest) => freeJob(args, io, latest, isHurried));
  },
});

export const free = freeOver(liveSnapshots, observeMs);

async function freeJob(
  args: Arguments,
  io: CommandIo,
  latest: () => Snapshot,
  isHurried: () => boolean,
): Promise<ExitCode> {
  const snapshot = latest();
  const unread = unreadCards(snapshot, io.locale);
  if (unread !== null) {
    await io.stderr.write(`${unread}\n`);
    if (args.has('json')) await writeJson(io, nothingEnded([]));
    return 1;
  }
  const shown = chosenLeftover(args.positionals[0] ?? '', snapshot, ownProtection());
  if (args.has('yes') && !isProven(shown.job))
    throw new CommandError(message('ending.notProven', { job: shown.job.title }));
  // On stderr, where the questions are, so that stdout carries the answer alone.
  for (const line of leftoverLines(shown, io.locale, snapshot.time)) await io.stderr.write(`${line}\n`);
  if (shown.plan.ends.length > 0) {
    const question = endQuestion(io.locale, shown.job, shown.plan, snapshot.time).text;
    const warnings = warningsOf(shown.job).map((text) => translate(io.locale, text));
    if (!(await agrees(args, io, [...warnings, question].join(' '), isProven(shown.job))))
      return cancelled(args, io, shown);
  }
  const report = await end(stillThe(shown, latest(), snapshot), args, io, latest, isHurried);
  await print(report, args, io);
  return report.remaining.length === 0 ? 0 : 1;
}

function chosenLeftover(word: string, snapshot: Snapshot, protection: Protection): Leftover {
  const simulated = snapshot.source.kind === 'simulated';
  const [job, ...more] = jobsCalled(word, snapshot.jobs, simulated);
  const names = (jobs: Snapshot['jobs']): string =>
    printable(jobs.map((one) => jobName(one, snapshot.jobs, simulated)).join(', '));
  if (job === undefined) {
    const others = snapshot.jobs.filter(isFreeable);
    throw new CommandError(
      others.length === 0
        ? message('ending.noSuchJobNorOther', { job: word })
        : message('ending.noSuchJob', { job: word, jobs: names(others) }),
    );
  }
  if (more.length > 0)
    throw new CommandError(
      message('ending.severalJobs', { count: more.length + 1, job: word, jobs: names([job, ...more]) }),
    );
  if (!isFreeable(job)) throw new CommandError(message('ending.notALeftover', { job: job.title }));
  if (job.ownedByMe === false)
    throw new CommandError(message('ending.notYours', { job: job.title, user: job.user }));
  return leftoverOf(job, snapshot, protection);
}

/** The leftover as it is after the answer. Throws CommandError where it is none any more, or where more would end. */
function stillThe(shown: Leftover, now: Snapshot, before: Snapshot): Leftover {
  if (now === before) return shown;
  const job = now.jobs.find(({ id }) => id === shown.job.id);
  // The job has gone: report on each process that was shown.
  if (job === undefined) return shown;
  const leftover = leftoverOf(job, now, ownProtection());
  const isWeaker = !isFreeable(job) || job.ownedByMe === false || (isProven(shown.job) && !isProven(job));
  if (isWeaker) throw new CommandError(message('ending.notStale', { job: job.title }));
  if (endsMoreThanShown(leftover.plan, identitiesOf(shown.plan.ends)))
    throw new CommandError(message('ending.changed'));
  return leftover;
}

/**
 * `--yes`, or a yes from a terminal: a y where the job is proven to be stale, else the whole word. Throws CommandError
 * where there is neither.
 */
async function agrees(args: Arguments, io: CommandIo, question: string, isCertain = true): Promise<boolean> {
  if (args.has('yes')) return true;
  const ask = isCertain ? message('ending.yesOrNo', { question }) : message('ending.typeYes', { question });
  const answer = await io.ask(`${translate(io.locale, ask)} `);
  if (answer === null && !io.signal.aborted) throw new CommandError(message('ending.noOneToAsk'));
  return (isCertain ? /^\s*(?:y|yes|是)\s*$/i : /^\s*(?:yes|是)\s*$/i).test(answer ?? '');
}

async function end(
  { job, plan }: Leftover,
  args: Arguments,
  io: CommandIo,
  latest: () => Snapshot,
  isHurried: () => boolean,
): Promise<EndingReport> {
  const lines: EndingLine[] = [];
  const note = (text: string): number => lines.push({ at: new Date(), text });
  note(beginLine(job, plan));
  const report = await endJob(plan, {
    processes: processControl,
    mayForce: (left) => agrees(args, io, forceQuestion(io.locale, left, latest().time).text),
    memoryOf: cardMemory(job, latest),
    pause: (milliseconds) => pause(milliseconds),
    // Ctrl-C ends the waiting; nothing is forced then.
    isCutShort: () => io.signal.aborted || isHurried(),
    now: () => Date.now(),
    onProgress: () => undefined,
    onSignal: (member, signal, sent) => note(signalLine(member, signal, sent)),
  });
  note(endLine(job, report));
  await log(lines, io);
  return report;
}

async function log(lines: readonly EndingLine[], io: CommandIo): Promise<void> {
  const file = endingFile(io.environment, process.platform);
  try {
    if (file === null) throw new Error('HOME');
    await writeEnding(file, lines, io.environment['HOME'] ?? '');
  } catch (error) {
    const reason = problemText(error);
    const text = message('ending.logFailed', { file: file ?? 'endings.log', reason });
    await io.stderr.write(`${translate(io.locale, text)}\n`);
  }
}

async function cancelled(args: Arguments, io: CommandIo, { plan }: Leftover): Promise<ExitCode> {
  const why = message('ending.cancelled');
  const remaining = plan.ends.map(({ process }) => ({ pid: process.pid, why }));
  if (args.has('json')) await writeJson(io, nothingEnded(remaining));
  else await writeLine(io, why);
  return 1;
}

function nothingEnded(remaining: EndingReport['remaining']): EndingReport {
  return { ended: [], remaining, memoryBackBytes: 0, tookSeconds: 0 };
}

async function print(report: EndingReport, args: Arguments, io: CommandIo): Promise<void> {
  if (args.has('json')) {
    await writeJson(io, report);
    return;
  }
  for (const line of reportLines(report)) await writeLine(io, line);
}

function reportLines({ ended, remaining, memoryBackBytes, tookSeconds }: EndingReport): readonly Message[] {
  return [
    ...ended.map(({ pid, signal, result }) => {
      if (result === 'already-gone') return message('ending.reportGone', { pid: String(pid) });
      return signal === null
        ? message('ending.reportLeft', { pid: String(pid) })
        : message('ending.reportEnded', { pid: String(pid), signal });
    }),
    ...remaining.map(({ why }) => why),
    ...(memoryBackBytes === null
      ? []
      : [message('ending.reportBack', { back: memoryBackBytes, took: tookSeconds })]),
  ];
}
