/** The processes of an ending in words, for the native question and for the terminal. */
import { message, type Message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import type { EndingPlan } from '../../shared/jobs/stale/ending';
import { heldBytes } from '../../shared/jobs/stale/freeing';
import { memberName } from '../../shared/jobs/memberName';
import type { Job, JobMember } from '../../shared/jobs/types';
import { printable } from '../../shared/printable';
import type { Question } from '../desktop/ports/dialogs';

/** A native question does not scroll: command lines are cut, and from so many workers on they share a line. */
const longestCommand = 60;
const foldFrom = 4;

/** The cards of a process in order, `0, 1`; null where it is on none. */
export function cardsText({ cards }: JobMember): string | null {
  const indices = [...new Set(cards.map(({ gpuIndex }) => gpuIndex))].toSorted((a, b) => a - b);
  return indices.length === 0 ? null : indices.join(', ');
}

export function commandText({ process: { command, name } }: JobMember): string {
  return printable(command === null ? name : command.join(' '));
}

/** The question before a job is asked to end: exactly what ends, what comes back, what is left alone. */
export function endQuestion(locale: Locale, job: Job, plan: EndingPlan, now: number): Question {
  const words = (text: Message): string => translate(locale, text);
  const held = heldBytes(plan.ends);
  const title = printable(job.title);
  const keeps = plan.keeps.map(({ why }) => `• ${words(why)}`);
  return {
    id: 'free-job',
    severity: 'warning',
    title: words(message('ending.askTitle')),
    text: words(
      held === null
        ? message('ending.askUnknown', { job: title })
        : message('ending.ask', { job: title, held }),
    ),
    detail: [
      ...warningsOf(job).map(words),
      words(message('ending.askWhich', { count: plan.ends.length })),
      ...memberLines(locale, plan.ends, now),
      ...(keeps.length === 0 ? [] : ['', words(message('ending.askKeeps')), ...keeps]),
      '',
      words(message('ending.askFinal')),
    ].join('\n'),
    buttons: [
      { id: 'cancel', label: words(message('ending.cancel')) },
      {
        id: 'end',
        label: words(held === null ? message('ending.freeUnknown') : message('ending.free', { held })),
      },
    ],
    safeButtonId: 'cancel',
  };
}

/** What a person should weigh first: that the job computes, or that nothing is proven. */
export function warningsOf({ verdict, against }: Job): readonly Message[] {
  const computing = against.filter(({ sign }) => sign === 'computing').map(({ text }) => text);
  return verdict === 'suspect' ? [message('ending.onlySuspect'), ...computing] : computing;
}

/** The second question, before what did not end by itself is forced. */
export function forceQuestion(locale: Locale, left: readonly JobMember[], now: number): Question {
  const words = (text: Message): string => translate(locale, text);
  return {
    id: 'force-job',
    severity: 'warning',
    title: words(message('ending.forceTitle')),
    text: words(message('ending.force', { count: left.length })),
    detail: [...memberLines(locale, left, now), '', words(message('ending.forceFinal'))].join('\n'),
    buttons: [
      { id: 'cancel', label: words(message('ending.cancel')) },
      { id: 'force', label: words(message('ending.forceButton')) },
    ],
    safeButtonId: 'cancel',
  };
}

/** A line a process; many workers share one line that still names every pid. */
function memberLines(locale: Locale, members: readonly JobMember[], now: number): readonly string[] {
  const workers = members.filter(({ role }) => role === 'worker');
  const folded = workers.length >= foldFrom ? workers : [];
  const alone = members.filter((member) => !folded.includes(member));
  const pids = folded.map(({ process }) => process.pid).join(', ');
  return [
    ...alone.map((member) => `• ${memberLine(locale, member, now)}`),
    ...(folded.length === 0
      ? []
      : [`• ${translate(locale, message('ending.workers', { count: folded.length, pids }))}`]),
  ];
}

function memberLine(locale: Locale, member: JobMember, now: number): string {
  const { startedAt, pid } = member.process;
  const cards = cardsText(member);
  const held = heldBytes([member]);
  const facts = [
    memberName(member),
    cards !== null && cards.includes(',') && message('ending.cards', { cards }),
    cards !== null && !cards.includes(',') && message('ending.card', { card: cards }),
    held !== null && message('ending.memory', { used: held }),
    startedAt !== null && message('ending.age', { age: Math.max(0, now - startedAt) }),
    message('ending.pid', { pid: String(pid) }),
  ].filter((fact) => fact !== false);
  const command = commandText(member);
  const cut = command.length > longestCommand ? `${command.slice(0, longestCommand)}…` : command;
  return [...facts.map((fact) => translate(locale, fact)), cut].join(' · ');
}
