import type { AlertRule } from '../contract/alertRules';
import type { Alert, Snapshot } from '../contract/snapshot';
import { longestPauseSeconds } from '../gpu/history/gap';
import { cardRules } from './cardRules';
import { byUrgency, type AlertThresholds, type Condition, type Rule } from './condition';
import { jobRules } from './jobRules';

export interface AlertSettings {
  readonly thresholds: AlertThresholds;
  readonly rules: Readonly<Record<AlertRule, boolean>>;
  /** Cards that raise nothing, by index. */
  readonly mutedCards: readonly number[];
}

/** How an alert ended. */
export type AlertOutcome = 'eased' | 'job-ended' | 'expired';

export interface AlertRecord {
  readonly alert: Alert;
  readonly endedAt: number | null;
  readonly outcome: AlertOutcome | null;
}

interface Watched {
  readonly condition: Condition;
  readonly since: number;
  readonly lastOn: number;
  readonly raisedAt: number | null;
}

/** All that the rules remember between two Snapshots. */
export interface AlertMemory {
  readonly watched: ReadonlyMap<string, Watched>;
  /** When each alert was last announced, as long as it is not announced again for that. */
  readonly lastRaised: ReadonlyMap<string, number>;
  /** Seconds since the epoch up to which nothing is announced, by alert id; `*` is everything. */
  readonly snoozedUntil: ReadonlyMap<string, number>;
  readonly history: readonly AlertRecord[];
  readonly previous: Snapshot | null;
}

export interface AlertStep {
  readonly memory: AlertMemory;
  /** What stands now, the most severe and newest first. */
  readonly alerts: readonly Alert[];
  /** What was raised at this very moment and is worth a notification. */
  readonly raised: readonly Alert[];
}

export const noAlerts: AlertMemory = {
  watched: new Map(),
  lastRaised: new Map(),
  snoozedUntil: new Map(),
  history: [],
  previous: null,
};

const rules: readonly Rule[] = [...cardRules, ...jobRules];
const minimumSeconds = new Map(rules.map((rule) => [rule.rule, rule.minimumSeconds]));

/**
 * A condition that has been gone for this long is over, and longer where readings are rarer: a shorter absence is a missed
 * reading.
 */
const goneSeconds = 8;
/** Something that happened stays on the list this long. */
const eventSeconds = 600;
/** The same thing is announced once in this time, however often it crosses. */
const repeatSeconds = 300;
const keptRecords = 200;

/**
 * The one function of the rules: from what was remembered and the newest Snapshot to the alerts that stand and those
 * just raised. Time is the Snapshot's own; nothing is asked of a clock.
 */
export function watchAlerts(
  memory: AlertMemory,
  snapshot: Snapshot,
  settings: AlertSettings,
  endedPids: ReadonlySet<number> = new Set(),
): AlertStep {
  const now = snapshot.time;
  const watched = new Map(memory.watched);
  const lastRaised = new Map([...memory.lastRaised].filter(([, at]) => now - at < repeatSeconds));
  const raised: Alert[] = [];
  let history = memory.history;
  for (const condition of conditionsOf(memory, snapshot, settings, endedPids)) {
    const before = watched.get(condition.id);
    const alreadyRaised = before !== undefined && before.raisedAt !== null;
    if (condition.phase === 'hold' && !alreadyRaised) {
      watched.delete(condition.id);
      continue;
    }
    const since = before?.since ?? now;
    const due = !alreadyRaised && now - since >= (minimumSeconds.get(condition.rule) ?? 0);
    const raisedAt = due ? now : (before?.raisedAt ?? null);
    watched.set(condition.id, { condition, since, lastOn: now, raisedAt });
    if (!due) continue;
    const alert = alertOf(condition, since);
    history = [{ alert, endedAt: null, outcome: null }, ...history].slice(0, keptRecords);
    if (mayAnnounce(condition, now, lastRaised, memory.snoozedUntil)) {
      raised.push(alert);
      lastRaised.set(condition.id, now);
    }
  }
  const absenceSeconds = Math.max(goneSeconds, longestPauseSeconds(snapshot.intervalSeconds));
  for (const [id, one] of watched) {
    const lasts = one.condition.phase === 'event' ? eventSeconds : absenceSeconds;
    const muted = !isWanted(one.condition, settings);
    if (!muted && now - one.lastOn <= (one.raisedAt === null ? 0 : lasts)) continue;
    watched.delete(id);
    if (one.raisedAt !== null) history = close(history, id, now, outcomeOf(one.condition, snapshot));
  }
  return {
    memory: { ...memory, watched, lastRaised, history, previous: snapshot },
    alerts: [...watched.values()]
      .filter(({ raisedAt }) => raisedAt !== null)
      .map(({ condition, since }) => alertOf(condition, since))
      .toSorted(byUrgency),
    raised,
  };
}

/** More than anybody snoozes one by one: the ids come from the window. */
const mostSnoozes = 500;

/** Nothing about `id` (`*`: nothing at all) is announced for `seconds`; what stands is still shown. With 0 that ends. */
export function snooze(memory: AlertMemory, id: string, now: number, seconds: number): AlertMemory {
  const lasting = [...memory.snoozedUntil].filter(([other, until]) => other !== id && until > now);
  return { ...memory, snoozedUntil: new Map([...lasting, [id, now + seconds] as const].slice(-mostSnoozes)) };
}

function conditionsOf(
  memory: AlertMemory,
  snapshot: Snapshot,
  settings: AlertSettings,
  endedPids: ReadonlySet<number>,
): readonly Condition[] {
  const input = { snapshot, previous: memory.previous, thresholds: settings.thresholds, endedPids };
  return rules
    .filter(({ rule }) => settings.rules[rule])
    .flatMap((rule) => rule.conditions(input))
    .filter((condition) => isWanted(condition, settings));
}

function isWanted(condition: Condition, settings: AlertSettings): boolean {
  const muted = condition.gpuIndex !== null && settings.mutedCards.includes(condition.gpuIndex);
  return settings.rules[condition.rule] && !muted;
}

function mayAnnounce(
  condition: Condition,
  now: number,
  lastRaised: ReadonlyMap<string, number>,
  snoozedUntil: ReadonlyMap<string, number>,
): boolean {
  const snoozed = Math.max(snoozedUntil.get('*') ?? 0, snoozedUntil.get(condition.id) ?? 0);
  return now >= snoozed && !lastRaised.has(condition.id);
}

function alertOf({ id, rule, severity, gpuIndex, jobId, text }: Condition, since: number): Alert {
  return { id, rule, severity, gpuIndex, jobId, text, since };
}

function outcomeOf(condition: Condition, snapshot: Snapshot): AlertOutcome {
  if (condition.phase === 'event') return 'expired';
  const jobLives = condition.jobId === null || snapshot.jobs.some(({ id }) => id === condition.jobId);
  return jobLives ? 'eased' : 'job-ended';
}

function close(
  history: readonly AlertRecord[],
  id: string,
  endedAt: number,
  outcome: AlertOutcome,
): readonly AlertRecord[] {
  return history.map((record) =>
    record.alert.id === id && record.endedAt === null ? { ...record, endedAt, outcome } : record,
  );
}
