/** A leftover job as `headroom stale` tells it: verdict, reasons, and exactly what freeing it would end. */
import type { Snapshot } from '../../shared/alerts/snapshot';
import { message, type Message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import { endingPlan, type Protection, type EndingPlan } from '../../shared/jobs/stale/ending';
import { heldBytes } from '../../shared/jobs/stale/freeing';
import { memberName } from '../../shared/jobs/memberName';
import { jobName } from '../../shared/jobs/stale/naming';
import type { Job, JobMember } from '../../shared/jobs/types';
import { printable } from '../../shared/printable';
import { formatBytes, formatDuration } from '../../shared/units';
import { cardsText, commandText } from '../ending/describe';
import { columns } from './output';

/** One leftover with its plan. */
export interface Leftover {
  readonly id: string;
  readonly job: Job;
  readonly plan: EndingPlan;
}

export function leftoverOf(job: Job, { jobs, source }: Snapshot, protection: Protection): Leftover {
  return { id: jobName(job, jobs, source.kind === 'simulated'), job, plan: endingPlan(job, protection) };
}

/** The shape of one entry of `stale --json`. */
export function leftoverJson({ id, job, plan }: Leftover) {
  return {
    id,
    title: job.title,
    verdict: job.verdict,
    memoryBytes: job.memoryBytes,
    reasons: job.reasons,
    against: job.against,
    wouldEnd: plan.ends.map(endingJson),
    wouldKeep: plan.keeps.map(({ member, why }) => ({ pid: member.process.pid, why })),
  };
}

/** `gpuIndex` is its first card, null where it is on none; `usedBytes` is of all its cards. */
function endingJson(member: JobMember) {
  const { pid, startTime, user } = member.process;
  return {
    pid,
    startTime,
    user,
    rank: member.rank,
    gpuIndex: member.cards[0]?.gpuIndex ?? null,
    usedBytes: heldBytes([member]),
    command: commandText(member),
    role: member.role,
    cards: member.cards,
  };
}

/** The same for people: the reasons, then a line a process. */
export function leftoverLines({ id, job, plan }: Leftover, locale: Locale, now: number): readonly string[] {
  const words = (text: Message): string => translate(locale, text);
  const title = message('ending.jobLine', {
    job: printable(job.title),
    id,
    user: job.user,
    verdict: words(message(job.verdict === 'stale' ? 'ending.verdictStale' : 'ending.verdictSuspect')),
    held: job.memoryBytes,
  });
  const signs = [
    ...job.reasons.map(({ text }) => message('ending.speaksFor', { text: words(text) })),
    ...job.against.map(({ text }) => message('ending.speaksAgainst', { text: words(text) })),
  ];
  const table = columns([headings.map(words), ...plan.ends.map((member) => rowOf(member, locale, now))]);
  return [
    words(title),
    ...signs.map((sign) => `  ${words(sign)}`),
    ...(plan.ends.length === 0 ? [words(message('ending.nothingToEnd'))] : table).map((line) => `  ${line}`),
    ...plan.keeps.map(({ why }) => `  ${words(why)}`),
  ];
}

const headings: readonly Message[] = [
  message('ending.columnPid'),
  message('ending.columnPart'),
  message('ending.columnCard'),
  message('ending.columnMemory'),
  message('ending.columnAge'),
  message('ending.columnUser'),
  message('ending.columnCommand'),
];

function rowOf(member: JobMember, locale: Locale, now: number): readonly string[] {
  const unknown = translate(locale, message('common.unknown'));
  const { pid, startedAt, user } = member.process;
  const held = heldBytes([member]);
  return [
    String(pid),
    translate(locale, memberName(member)),
    cardsText(member) ?? '-',
    held === null ? (member.cards.length === 0 ? '-' : unknown) : formatBytes(held, locale),
    startedAt === null ? unknown : formatDuration(Math.max(0, now - startedAt), locale),
    printable(user ?? unknown),
    commandText(member),
  ];
}
