/** How fast cards talk to each other and to the machine's memory. */
import type { CardLink } from '../gpu/types';
import type { Card } from '../memory/cards';

export interface LinkSpeeds {
  readonly kind: 'nvlink' | 'pcie' | 'across-sockets';
  /** Bytes a second that one card sends to another while all of them do so in a ring. */
  readonly betweenCards: number;
  /** Bytes a second from one card to the machine's memory. */
  readonly toHost: number;
  /** True where nvidia-smi said it; false: taken from the model of the card. */
  readonly read: boolean;
}

const GB = 1e9;

/** What collectives reach of a link's nominal speed (NCCL's own bus bandwidth figures: 75 to 85 %). */
const REACHED = 0.8;
/** PCI Express x16, one direction, nominal, by generation (PCI-SIG). */
const PCIE: Readonly<Record<3 | 4 | 5, number>> = { 3: 15.75 * GB, 4: 31.5 * GB, 5: 63 * GB };
/** Without peer access, as on GeForce cards, every byte goes up to the machine's memory and down again. */
const THROUGH_HOST = 0.5;
/** Through the link between two processors, which several pairs share. */
const ACROSS_SOCKETS = 0.35;

/** One direction of one NVLink (NVIDIA's architecture papers): GA102's links are slower than those of data-centre cards. */
const nvLinkBytes = (card: Card): number => (/RTX (30|A6000)|A40/.test(card.name) ? 14 * GB : 25 * GB);

/** NVLinks of a card that is sold on boards where all cards are joined (HGX, DGX). */
const boardLinks: readonly (readonly [RegExp, number])[] = [
  [/^(B200|B300|GB200)/, 36],
  [/^(H200|H100$|H800|H20|GH200)/, 18],
  [/^A100/, 12],
  [/^V100/, 6],
];

function pcieGeneration(card: Card): 3 | 4 | 5 {
  if (/^(H|GH|B|GB)\d|RTX 50|RTX PRO/.test(card.name)) return 5;
  return card.flashAttention ? 4 : 3;
}

const isConsumer = (card: Card): boolean => /^(RTX [2345]0|GTX|TITAN)/.test(card.name);

/**
 * Links that follow from the card's model: NVLink where it is sold with one, else PCI Express. An unknown card (null) has PCI
 * Express 4 and no peer access, which is what a workstation most likely is.
 */
export function linksOfCard(card: Card | null): LinkSpeeds {
  const toHost = PCIE[card === null ? 4 : pcieGeneration(card)] * REACHED;
  const links = card === null ? undefined : boardLinks.find(([pattern]) => pattern.test(card.name));
  if (card !== null && links !== undefined)
    return { kind: 'nvlink', betweenCards: links[1] * nvLinkBytes(card) * REACHED, toHost, read: false };
  const share = card === null || isConsumer(card) ? THROUGH_HOST : 1;
  return { kind: 'pcie', betweenCards: toHost * share, toHost, read: false };
}

/** The same where `nvidia-smi topo -m` was read: a ring is as fast as its slowest pair. Empty: what the model tells. */
export function linksOfTopology(card: Card | null, links: readonly CardLink[]): LinkSpeeds {
  const preset = linksOfCard(card);
  const pairs = links.filter(({ from, to }) => /^GPU\d+$/.test(from) && to !== null && /^GPU\d+$/.test(to));
  if (pairs.length === 0) return preset;
  const { toHost } = preset;
  const pcie = { kind: 'pcie', betweenCards: pcieBytes(card, toHost), toHost, read: true } as const;
  if (pairs.some(({ kind }) => kind === 'SYS'))
    return { ...pcie, kind: 'across-sockets', betweenCards: toHost * ACROSS_SOCKETS };
  const bridged = pairs.map(({ kind }) => Number(/^NV(\d+)$/.exec(kind)?.[1] ?? 0));
  const fewest = Math.min(...bridged);
  if (fewest === 0) return pcie;
  const perLink = card === null ? 25 * GB : nvLinkBytes(card);
  return { kind: 'nvlink', betweenCards: fewest * perLink * REACHED, toHost, read: true };
}

const pcieBytes = (card: Card | null, toHost: number): number =>
  toHost * (card === null || isConsumer(card) ? THROUGH_HOST : 1);
