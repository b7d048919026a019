/**
 * How fast cards talk to each other and to the machine's memory. The speeds are those that NCCL itself expects to reach, which is 76 to
 * 82 % of what the links are sold with: https://github.com/NVIDIA/nccl/blob/v2.28.9-1/src/graph/topo.h
 */
import type { CardLink } from '../gpu/types';
import type { Card } from '../memory/cards';

export interface LinkSpeeds {
  readonly kind: 'nvlink' | 'pcie' | 'across-sockets';
  /** What one card sends to another while all of them do so in a ring. */
  readonly betweenCardsBytesPerSecond: number;
  /** From one card to the machine's memory. */
  readonly toHostBytesPerSecond: number;
  /** True where nvidia-smi said it; false: taken from the model of the card. */
  readonly read: boolean;
}

const gigabyte = 1e9;

/** PCI Express x16 in one direction, by generation: NCCL names the third, and each has twice the speed of the one before (PCI-SIG). */
const pcieBytesPerSecond: Readonly<Record<3 | 4 | 5, number>> = {
  3: 12 * gigabyte,
  4: 24 * gigabyte,
  5: 48 * gigabyte,
};

/**
 * Without peer access, as on GeForce cards, every byte goes up to the machine's memory and down again: pairs of A40s copied 20 GB/s both
 * ways without and 40 to 50 with it (https://github.com/NVIDIA/nccl-tests/issues/74).
 */
const shareThroughHost = 0.5;

/** Between two processors: NCCL expects 6 to 40 GB/s by their model, which nobody tells us. Skylake's, one of the slower. */
const acrossSocketsBytesPerSecond = 10 * gigabyte;

/**
 * One NVLink in one direction by the chips that have it, the first pattern that fits; NCCL has them by compute capability. Blackwell's
 * links are twice as fast as those before, the ones of GA102 (RTX 3090, A40, RTX A4500 to A6000) a little more than half.
 */
const nvLinks: readonly (readonly [RegExp, number])[] = [
  [/\bG?B[1-3]\d\d\b/i, 40.1 * gigabyte],
  [/\bG?H\d{2,3}\b/i, 20.6 * gigabyte],
  [/\bRTX (30\d\d|A\d{4})\b|\bA40\b/i, 12 * gigabyte],
  [/\bP100\b/i, 18 * gigabyte],
];

/** Volta, Turing and A100, and what is not known. */
const usualNvLinkBytesPerSecond = 20 * gigabyte;

const nvLinkBytesPerSecond = (card: Card | null): number =>
  nvLinks.find(([pattern]) => pattern.test(card?.name ?? ''))?.[1] ?? usualNvLinkBytesPerSecond;

/** NVLinks of a card that is sold on boards where all cards are joined (HGX, DGX), from NVIDIA's data sheets. A800 and H800 have fewer. */
const boardLinks: readonly (readonly [RegExp, number])[] = [
  [/^(B200|B300|GB200)/, 18],
  [/^(H200|H100$|H20$|GH200)/, 18],
  [/^(A800|H800)/, 8],
  [/^A100/, 12],
  [/^V100/, 6],
];

function pcieGeneration(card: Card): 3 | 4 | 5 {
  if (/\bG?[HB]\d\d|\bRTX (50[5-9]0|PRO)\b/i.test(card.name)) return 5;
  return card.flashAttention ? 4 : 3;
}

/** Cards that are sold with eight of the sixteen lanes. */
const hasHalfTheLanes = ({ name }: Card): boolean => /RTX [45]060/.test(name);

/** Grace and its card are one module: NVLink-C2C, 450 GB/s in each direction, of which the same part is reached. */
const chipToChipBytesPerSecond = 360 * gigabyte;

function toHostBytesPerSecond(card: Card | null): number {
  if (card === null) return pcieBytesPerSecond[4];
  if (/^G[HB]200/.test(card.name)) return chipToChipBytesPerSecond;
  return pcieBytesPerSecond[pcieGeneration(card)] * (hasHalfTheLanes(card) ? 0.5 : 1);
}

/** NVIDIA's drivers give GeForce and TITAN cards no peer access over PCI Express. */
const hasPeerAccess = (card: Card | null): boolean =>
  card !== null && !/\b(GeForce|GTX|TITAN)\b|\bRTX [2-5]0[5-9]0\b/i.test(card.name);

/** Cards that nothing but PCI Express joins. A module's way to its processor does not lead on to another card. */
function overPcie(card: Card | null, read: boolean): LinkSpeeds {
  const toHost = toHostBytesPerSecond(card);
  const link = Math.min(toHost, pcieBytesPerSecond[5]);
  return {
    kind: 'pcie',
    betweenCardsBytesPerSecond: link * (hasPeerAccess(card) ? 1 : shareThroughHost),
    toHostBytesPerSecond: toHost,
    read,
  };
}

/**
 * Links that follow from the card's model: NVLink where it is sold with one, else PCI Express. An unknown card (null) has PCI
 * Express 4 and no peer access, which is what a workstation most likely is.
 */
export function linksOfCard(card: Card | null): LinkSpeeds {
  const board = card === null ? undefined : boardLinks.find(([pattern]) => pattern.test(card.name));
  const pcie = overPcie(card, false);
  if (board === undefined) return pcie;
  const [, links] = board;
  return { ...pcie, kind: 'nvlink', betweenCardsBytesPerSecond: links * nvLinkBytesPerSecond(card) };
}

/** The same where `nvidia-smi topo -m` was read: a ring is as fast as its slowest pair. Empty: what the model tells. */
export function linksOfTopology(card: Card | null, links: readonly CardLink[]): LinkSpeeds {
  const pairs = links.filter(({ from, to }) => /^GPU\d+$/.test(from) && to !== null && /^GPU\d+$/.test(to));
  if (pairs.length === 0) return linksOfCard(card);
  const pcie = overPcie(card, true);
  const nvLinksOfPairs = pairs.map(({ kind }) => Number(/^NV(\d+)$/.exec(kind)?.[1] ?? 0));
  const fewest = Math.min(...nvLinksOfPairs);
  if (fewest > 0)
    return { ...pcie, kind: 'nvlink', betweenCardsBytesPerSecond: fewest * nvLinkBytesPerSecond(card) };
  if (!pairs.some(({ kind }) => kind === 'SYS')) return pcie;
  const slowest = Math.min(pcie.betweenCardsBytesPerSecond, acrossSocketsBytesPerSecond);
  return { ...pcie, kind: 'across-sockets', betweenCardsBytesPerSecond: slowest };
}
