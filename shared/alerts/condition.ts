import type { Card } from '../gpu/types';
import type { Message } from '../i18n/message';
import type { Job } from '../jobs/types';
import type { Condition } from './rule';

/** How far a value must fall below its level before the next crossing counts, in the level's own unit (percent, °C). */
const hysteresis = 5;

/** Whether a value is at its level or above, in the band below it, or (null) clear of both: noise raises nothing twice. */
export function phaseOf(value: number, level: number): Extract<Condition['phase'], 'on' | 'hold'> | null {
  return value >= level ? 'on' : value > level - hysteresis ? 'hold' : null;
}

/** Something about one card. */
export function onCard(card: Card, phase: Condition['phase'], text: Message): Condition {
  return {
    subject: card.uuid ?? String(card.index),
    phase,
    gpuIndex: card.index,
    jobId: null,
    jobTitle: null,
    text,
  };
}

/** Something about one job, shown on the first card that it holds. */
export function onJob(job: Job, text: Message): Condition {
  return {
    subject: job.id,
    phase: 'on',
    gpuIndex: job.members.flatMap(({ cards }) => cards)[0]?.gpuIndex ?? null,
    jobId: job.id,
    jobTitle: job.title,
    text,
  };
}
