import type { Alert } from './snapshot';
import type { WorkstationState } from '../snapshot/types';
import { suspectedOomExitsBetween, type SuspectedOomExit } from '../doctor/suspectedOomExit';
import { longestPauseSeconds } from '../snapshot/history/gap';
import type { AlertThresholds, Condition, Rule } from './rule';
import { alertRules, type AlertRule } from './rules';
import { byUrgency } from './severity';

export interface AlertSettings {
  readonly thresholds: AlertThresholds;
  /** The names of the rules that are switched off. */
  readonly rulesOff: readonly string[];
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

/** A condition with what its rule makes of it. */
type Found = Omit<Alert, 'since'> & Pick<Condition, 'phase'> & Pick<Rule, 'minimumSeconds'>;

interface Watched {
  readonly condition: Found;
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
  readonly previous: WorkstationState | null;
}

export interface AlertStep {
  readonly memory: AlertMemory;
  /** What stands now, the most severe and newest first. */
  readonly alerts: readonly Alert[];
  /** What was raised at this very moment and is worth a notification. */
  readonly raised: readonly Alert[];
  /** The processes that were on a full card at the Snapshot before and are gone in this one. */
  readonly oomExits: readonly SuspectedOomExit[];
}

export const noAlerts: AlertMemory = {
  watched: new Map(),
  lastRaised: new Map(),
  snoozedUntil: new Map(),
  history: [],
  previous: null,
};

const rules: readonly Rule<AlertRule>[] = alertRules;

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
  snapshot: WorkstationState,
  settings: AlertSettings,
  endedPids: ReadonlySet<number> = new Set(),
): AlertStep {
  const now = snapshot.time;
  const watched = new Map(memory.watched);
  const lastRaised = new Map([...memory.lastRaised].filter(([, at]) => now - at < repeatSeconds));
  const oomExits =
    memory.previous === null ? [] : suspectedOomExitsBetween(memory.previous, snapshot, endedPids);
  const raised: Alert[] = [];
  let history = memory.history;
  for (const condition of conditionsOf(snapshot, settings, oomExits)) {
    const before = watched.get(condition.id);
    const alreadyRaised = before !== undefined && before.raisedAt !== null;
    if (condition.phase === 'hold' && !alreadyRaised) {
      watched.delete(condition.id);
      continue;
    }
    const since = before?.since ?? now;
    const due = !alreadyRaised && now - since >= condition.minimumSeconds;
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
    oomExits,
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
  snapshot: WorkstationState,
  settings: AlertSettings,
  oomExits: readonly SuspectedOomExit[],
): readonly Found[] {
  const input = { snapshot, thresholds: settings.thresholds, oomExits };
  return rules
    .filter(({ name }) => !settings.rulesOff.includes(name))
    .flatMap((rule) => rule.conditions(input).map((condition) => foundBy(rule, condition)))
    .filter((found) => isWanted(found, settings));
}

function foundBy(rule: Rule<AlertRule>, { subject, severity, ...condition }: Condition): Found {
  return {
    ...condition,
    rule: rule.name,
    id: subject === null ? rule.name : `${rule.name}/${subject}`,
    severity: severity ?? rule.severity,
    minimumSeconds: rule.minimumSeconds,
  };
}

function isWanted({ rule, gpuIndex }: Found, settings: AlertSettings): boolean {
  const muted = gpuIndex !== null && settings.mutedCards.includes(gpuIndex);
  return !settings.rulesOff.includes(rule) && !muted;
}

function mayAnnounce(
  condition: Found,
  now: number,
  lastRaised: ReadonlyMap<string, number>,
  snoozedUntil: ReadonlyMap<string, number>,
): boolean {
  const snoozed = Math.max(snoozedUntil.get('*') ?? 0, snoozedUntil.get(condition.id) ?? 0);
  return now >= snoozed && !lastRaised.has(condition.id);
}

function alertOf({ id, rule, severity, gpuIndex, jobId, jobTitle, text }: Found, since: number): Alert {
  return { id, rule, severity, gpuIndex, jobId, jobTitle, text, since };
}

function outcomeOf(condition: Found, snapshot: WorkstationState): AlertOutcome {
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
