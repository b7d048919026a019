/** How sure a process's size is. */
import { MiB } from '../units';
import type { Evidence } from './evidence';

/** Both ends are possible sizes. */
export interface ByteInterval {
  readonly lowBytes: number;
  readonly highBytes: number;
}

/** What an interval is made from. */
export interface IntervalFacts {
  /** Reserved peaks for both orders in which the driver may hand out addresses. */
  readonly reservedBytes: readonly number[];
  readonly contextBytes: number;
  /** True where the context was measured on such a card or given by the user. */
  readonly contextKnown: boolean;
  /** What connections that no run was measured with may take less or more than the context has for them. */
  readonly unmeasured: Slack;
  /** What the configuration rests on. */
  readonly evidence: Evidence;
  /** How far measured rows of this kind lie below and above what is played, as shares; null: `measuredShare` both ways. */
  readonly scatter: Scatter | null;
}

/** Bytes below and above what is expected. */
export interface Slack {
  readonly lessBytes: number;
  readonly moreBytes: number;
}

/** Shares of what is played: 0.01 is one percent. */
export interface Scatter {
  readonly below: number;
  readonly above: number;
}

/**
 * What measured rows leave unexplained when both address orders are played. Of 286 rows on the measured stack (one card, DDP, FSDP2 with
 * and without offload, expandable segments, all attention kernels) 283 lie within this share and the context's few MiB; the three
 * others are up to 3 % off, where equal blocks of the cache were taken in an order that neither direction explains.
 */
const measuredShare = 0.004;
/** The context differs by a few MiB with the kernels that get loaded. */
const contextSlackBytes = 4 * MiB;
/** Published contexts of one generation differ by this much. */
const unknownContextSlackBytes = 300 * MiB;
/** Configurations known from documents only. */
const documentedShare = 0.08;

/** The range that holds the true process size in 19 of 20 cases, in bytes. */
export function processInterval(facts: IntervalFacts): ByteInterval {
  const { unmeasured } = facts;
  const { above, below } = widest(facts.scatter, leastScatter(facts.evidence));
  const slack = facts.contextKnown ? contextSlackBytes : unknownContextSlackBytes;
  const low = Math.min(...facts.reservedBytes);
  const high = Math.max(...facts.reservedBytes);
  return {
    lowBytes: Math.max(0, Math.floor(low * (1 - below) + facts.contextBytes - slack - unmeasured.lessBytes)),
    highBytes: Math.ceil(high * (1 + above) + facts.contextBytes + slack + unmeasured.moreBytes),
  };
}

/** Scatter that was measured for a kind of configuration is no less where the configuration itself is not measured. */
const widest = (scatter: Scatter | null, least: Scatter): Scatter => ({
  below: Math.max(least.below, scatter?.below ?? 0),
  above: Math.max(least.above, scatter?.above ?? 0),
});

/** Where figures of others say less than what measured rows leave, that counts. */
function leastScatter(evidence: Evidence): Scatter {
  switch (evidence.kind) {
    case 'measured':
      return bothWays(measuredShare);
    case 'documented':
      return bothWays(documentedShare);
    case 'published':
      return widest(evidence.residuals, bothWays(measuredShare));
  }
}

const bothWays = (share: number): Scatter => ({ below: share, above: share });
