/**
 * Every sign that a job is a leftover, and every sign that it is none, in one table. To change one, change its row; to add
 * one, add a row and the function that sees it (`signs.ts`, `against.ts`). The reasons are in shared/jobs/README.md.
 */
import type { MessageKey } from '../../i18n/message';

interface ForRow {
  readonly sign: string;
  readonly weight: number;
  /**
   * `proof`: it can make a job stale, and nothing without one does. `despite work`: it counts also where the job computes, as
   * a proof does. `hint`: it counts only where the job does not compute.
   */
  readonly force: 'proof' | 'despite work' | 'hint';
  readonly text: MessageKey;
}

interface AgainstRow {
  readonly sign: string;
  readonly weight: number;
  /** `veto`: whatever else is seen, the job is neither stale nor suspect. `no proof`: it is not stale, but may be suspect. */
  readonly force: 'veto' | 'no proof' | 'hint';
  readonly text: MessageKey;
}

/** What speaks for a leftover. */
export const forLeftover = {
  launcherSeenGone: { sign: 'launcher-gone', weight: 0.95, force: 'proof', text: 'stale.launcherGone' },
  /** A shell or script that started something and left: it may have done its work. */
  starterLeft: { sign: 'launcher-gone', weight: 0.3, force: 'hint', text: 'stale.launcherGone' },
  /** All ranks that torchrun numbered are there side by side, and torchrun is not. */
  launcherGoneBefore: {
    sign: 'launcher-gone',
    weight: 0.9,
    force: 'proof',
    text: 'stale.launcherGoneBefore',
  },
  /** The same while they compute: somebody may rely on them. */
  launcherGoneBusy: {
    sign: 'launcher-gone',
    weight: 0.9,
    force: 'despite work',
    text: 'stale.launcherGoneBefore',
  },
  ranksAdopted: { sign: 'launcher-gone', weight: 0.5, force: 'hint', text: 'stale.ranksAdopted' },
  containerGone: { sign: 'container-gone', weight: 0.9, force: 'proof', text: 'stale.containerGone' },
  workersAlone: { sign: 'parent-gone', weight: 0.9, force: 'proof', text: 'stale.workersAlone' },
  zombie: { sign: 'zombie', weight: 0.9, force: 'proof', text: 'stale.zombie' },
  ownerGone: { sign: 'owner-gone', weight: 0.9, force: 'proof', text: 'stale.ownerGone' },
  /** The same beside processes that it says nothing about: it proves only itself. */
  zombieAmong: { sign: 'zombie', weight: 0.2, force: 'hint', text: 'stale.zombie' },
  ownerGoneAmong: { sign: 'owner-gone', weight: 0.2, force: 'hint', text: 'stale.ownerGone' },
  ranksMissing: { sign: 'ranks-missing', weight: 0.5, force: 'hint', text: 'stale.ranksMissing' },
  /** Ranks that were seen and are gone: the others wait for them, at full load where they wait in NCCL. */
  ranksLost: { sign: 'ranks-missing', weight: 0.5, force: 'despite work', text: 'stale.ranksMissing' },
  portSilent: { sign: 'port-silent', weight: 0.4, force: 'hint', text: 'stale.portSilent' },
  newerRun: { sign: 'newer-run', weight: 0.3, force: 'hint', text: 'stale.newerRun' },
  unlistedForgotten: {
    sign: 'device-open-unlisted',
    weight: 0.9,
    force: 'proof',
    text: 'stale.unlisted',
  },
  unlistedOrphan: { sign: 'device-open-unlisted', weight: 0.5, force: 'hint', text: 'stale.unlisted' },
  unlisted: { sign: 'device-open-unlisted', weight: 0.1, force: 'hint', text: 'stale.unlisted' },
  uninterruptible: { sign: 'uninterruptible', weight: 0.2, force: 'hint', text: 'stale.uninterruptible' },
  idleLong: { sign: 'idle-long', weight: 0.3, force: 'hint', text: 'stale.idleLong' },
} as const satisfies Readonly<Record<string, ForRow>>;

/** What speaks against one. */
export const againstLeftover = {
  desktop: { sign: 'desktop', weight: 1, force: 'veto', text: 'stale.desktop' },
  service: { sign: 'service', weight: 1, force: 'veto', text: 'stale.service' },
  notebook: { sign: 'notebook', weight: 1, force: 'veto', text: 'stale.notebook' },
  checkpointOpen: { sign: 'checkpoint-open', weight: 1, force: 'veto', text: 'stale.checkpointOpen' },
  severalOwners: { sign: 'several-owners', weight: 1, force: 'veto', text: 'stale.severalOwners' },
  launcherAlive: { sign: 'launcher-alive', weight: 0.6, force: 'hint', text: 'stale.launcherAlive' },
  /** It weighs nothing beside a proof, which stands; hints it outweighs (see `verdictOf`). */
  computing: { sign: 'computing', weight: 0, force: 'hint', text: 'stale.computing' },
  unreadable: { sign: 'unreadable', weight: 0, force: 'no proof', text: 'stale.unreadable' },
  stopped: { sign: 'stopped', weight: 0.2, force: 'hint', text: 'stale.stopped' },
  otherUser: { sign: 'other-user', weight: 0, force: 'hint', text: 'stale.otherUser' },
} as const satisfies Readonly<Record<string, AgainstRow>>;

export type EvidenceFor = (typeof forLeftover)[keyof typeof forLeftover];
export type EvidenceAgainst = (typeof againstLeftover)[keyof typeof againstLeftover];

/** The stable names of all signs, as they stand in JSON. */
export type SignName = EvidenceFor['sign'] | EvidenceAgainst['sign'];
