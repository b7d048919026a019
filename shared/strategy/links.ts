/**
 * How fast cards talk to each other and to the machine's memory. The speeds are those that NCCL itself expects to reach, which is 76 to
 * 82 % of what the links are sold with: https://github.com/NVIDIA/nccl/blob/v2.28.9-1/src/graph/topo.h
 */
import type { CardLink } from '../gpu/types';
import type { GpuModel } from '../gpu/models';

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

/** Volta, Turing and A100: for a card of which no model has NVLinks, but that nvidia-smi shows with some. */
const usualNvLinkBytesPerSecond = 20 * gigabyte;

const nvLinkBytesPerSecond = (card: GpuModel | null): number =>
  card?.nvLinkBytesPerSecond ?? usualNvLinkBytesPerSecond;

/** Grace and its card are one module: NVLink-C2C, 450 GB/s in each direction, of which the same part is reached. */
const chipToChipBytesPerSecond = 360 * gigabyte;

function toHostBytesPerSecond(card: GpuModel | null): number {
  if (card === null) return pcieBytesPerSecond[4];
  if (card.toHost === 'chip-to-chip') return chipToChipBytesPerSecond;
  return (pcieBytesPerSecond[card.pcieGeneration] * card.pcieLanes) / 16;
}

/** Cards that nothing but PCI Express joins. A module's way to its processor does not lead on to another card. */
function overPcie(card: GpuModel | null, read: boolean): LinkSpeeds {
  const toHost = toHostBytesPerSecond(card);
  const link = Math.min(toHost, pcieBytesPerSecond[5]);
  return {
    kind: 'pcie',
    betweenCardsBytesPerSecond: link * (card?.peerAccess === true ? 1 : shareThroughHost),
    toHostBytesPerSecond: toHost,
    read,
  };
}

/**
 * Links that follow from the card's model: NVLink where it is sold with one, else PCI Express. An unknown card (null) has PCI
 * Express 4 and no peer access, which is what a workstation most likely is.
 */
export function linksOfCard(card: GpuModel | null): LinkSpeeds {
  const boardLinks = card?.boardNvLinks ?? null;
  const pcie = overPcie(card, false);
  return boardLinks === null
    ? pcie
    : { ...pcie, kind: 'nvlink', betweenCardsBytesPerSecond: boardLinks * nvLinkBytesPerSecond(card) };
}

/** The same where `nvidia-smi topo -m` was read: a ring is as fast as its slowest pair. Empty: what the model tells. */
export function linksOfTopology(card: GpuModel | null, links: readonly CardLink[]): LinkSpeeds {
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
