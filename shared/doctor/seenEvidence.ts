import { message, type Message } from '../i18n/message';
import { GiB } from '../units';
import type { SeenRank, SuspectedOomExit } from './suspectedOomExit';

/** More ranks than this are counted. */
const namedRanks = 7;

/** What Headroom saw of the end of a process, a sentence each: card, process, what ran beside it, what was coming. */
export function seenEvidence(seen: SuspectedOomExit): readonly Message[] {
  const { name, pid, gpuIndex, usedBytes, totalBytes, hostUsedBytes, hostTotalBytes } = seen;
  const othersBytes = seen.others.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    message('doctorEvidence.seen', {
      name,
      pid: String(pid),
      gpuIndex: String(gpuIndex),
      used: usedBytes,
      total: totalBytes,
    }),
    seenOwn(seen),
    ...(seen.command === null || seen.command.length === 0
      ? []
      : [message('doctorEvidence.seenCommand', { command: seen.command.join(' ') })]),
    ...(othersBytes > GiB / 2 ? [message('doctorEvidence.seenOthers', { held: othersBytes })] : []),
    ...seenRise(seen),
    ...seen.uneven,
    ...seen.ranks.slice(0, namedRanks).map(rankText),
    ...(seen.ranks.length > namedRanks
      ? [message('doctorEvidence.seenMoreRanks', { count: seen.ranks.length - namedRanks })]
      : []),
    ...(hostUsedBytes === null || hostTotalBytes === null
      ? []
      : [message('doctorEvidence.seenHost', { used: hostUsedBytes, total: hostTotalBytes })]),
  ];
}

/** How much of the card the process itself held at the last reading, and how long it had run. */
function seenOwn({ processBytes, totalBytes, ranForSeconds }: SuspectedOomExit): Message {
  const values = { held: processBytes, share: (100 * processBytes) / totalBytes };
  return ranForSeconds === null
    ? message('doctorEvidence.seenOwn', values)
    : message('doctorEvidence.seenOwnAfter', { ...values, age: ranForSeconds });
}

/** The rise of its memory before the end; empty where it did not rise. */
function seenRise({ forecast }: SuspectedOomExit): readonly Message[] {
  if (forecast?.state !== 'growing') return [];
  const { slopeBytesPerSecond: slope, risingForSeconds: since, etaSeconds: eta } = forecast;
  return eta === null
    ? [message('doctorEvidence.seenRise', { slope, since })]
    : [message('doctorEvidence.seenRiseToFull', { slope, since, eta })];
}

function rankText({ pid, rank, gpuIndex, usedBytes, ended }: SeenRank): Message {
  const values = {
    rank: rank === null ? null : String(rank),
    pid: String(pid),
    gpuIndex: gpuIndex === null ? null : String(gpuIndex),
    held: usedBytes,
  };
  return ended
    ? message('doctorEvidence.seenRankEnded', values)
    : message('doctorEvidence.seenRankGoesOn', values);
}
