import type { Card } from '../../../../../shared/gpu/types';
import type { Job, JobMember } from '../../../../../shared/jobs/types';
import { GiB } from '../../../../../shared/units';
import { plainJob } from '../../contract/typedSnapshot';
import { facts } from '../../jobs/facts';

/** A card of 24 GiB with `usedGiB` on it. */
export function card(index: number, usedGiB: number, more: Partial<Card> = {}): Card {
  return {
    index,
    uuid: `GPU-${index}`,
    name: 'NVIDIA GeForce RTX 3090',
    pciBusId: null,
    memoryTotalBytes: 24 * GiB,
    memoryUsedBytes: usedGiB * GiB,
    memoryFreeBytes: (24 - usedGiB) * GiB,
    memoryReservedBytes: null,
    utilizationPercent: usedGiB > 1 ? 97 : 0,
    temperatureC: 60,
    powerWatts: 300,
    powerLimitWatts: 350,
    fanPercent: 50,
    smClockMHz: 1700,
    memoryClockMHz: 9501,
    throttleReasons: [],
    eccUncorrectedErrors: null,
    persistenceMode: true,
    computeMode: 'Default',
    mig: [],
    cudaOrdinal: index,
    lost: false,
    readAt: null,
    sharesHostMemory: false,
    ...more,
  };
}

/** A member that holds `heldGiB[i]` on card i (0 or absent: nothing). */
export function member(
  pid: number,
  rank: number | null,
  heldGiB: readonly number[],
  command = 'python train.py',
): JobMember {
  return {
    process: facts({ pid, startTime: pid, name: 'python', command: command.split(' ') }),
    role: rank === null ? 'process' : 'rank',
    origin: 'started',
    listed: true,
    rank,
    cards: heldGiB.flatMap((held, gpuIndex) => (held > 0 ? [{ gpuIndex, usedBytes: held * GiB }] : [])),
  };
}

export function job(id: string, members: readonly JobMember[], more: Partial<Job> = {}): Job {
  return plainJob(id, members, {
    title: `${id}.py`,
    user: 'you',
    kind: members.length > 1 ? 'torchrun' : 'single',
    worldSize: members.length > 1 ? members.length : null,
    ...more,
  });
}
