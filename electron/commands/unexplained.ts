/** Memory of cards that no living process accounts for, which `headroom stale` reports beside the jobs. */
import type { Snapshot } from '../../shared/alerts/snapshot';
import { message, type Message } from '../../shared/i18n/message';
import { sumOfKnown } from '../../shared/numbers';
import { isGoneHolder } from '../../shared/jobs/stale/past';

/** `pids` are those that nvidia-smi lists and no process has; empty where no process is listed for the memory. */
export interface UnexplainedMemory {
  readonly gpuIndex: number;
  readonly pids: readonly number[];
  readonly usedBytes: number | null;
}

/** One entry for what gone pids hold on a card, one for what no process is listed for. */
export function unexplainedMemory({
  jobs,
  cards,
  processes,
  problems,
}: Snapshot): readonly UnexplainedMemory[] {
  const gone = jobs.flatMap(({ members }) => members).filter(isGoneHolder);
  return cards.flatMap(({ index, memoryUsedBytes }): UnexplainedMemory[] => {
    const held = gone.flatMap(({ process, cards: on }) =>
      on.flatMap(({ gpuIndex, usedBytes }) => (gpuIndex === index ? [{ pid: process.pid, usedBytes }] : [])),
    );
    const listed = sumOfKnown(
      processes.flatMap(({ gpuIndex, usedBytes }) => (gpuIndex === index ? [usedBytes] : [])),
    );
    const isUnlisted = problems.some(
      ({ code, gpuIndex }) => code === 'memory-unattributed' && gpuIndex === index,
    );
    return [
      ...(held.length === 0
        ? []
        : [
            {
              gpuIndex: index,
              pids: held.map(({ pid }) => pid),
              usedBytes: sumOfKnown(held.map(({ usedBytes }) => usedBytes)),
            },
          ]),
      ...(isUnlisted
        ? [
            {
              gpuIndex: index,
              pids: [],
              usedBytes: memoryUsedBytes === null ? null : memoryUsedBytes - (listed ?? 0),
            },
          ]
        : []),
    ];
  });
}

export function unexplainedLines(unexplained: readonly UnexplainedMemory[]): readonly Message[] {
  return unexplained.flatMap(({ gpuIndex, pids, usedBytes }) => {
    const card = String(gpuIndex);
    return [
      pids.length === 0
        ? message('ending.heldByNobody', { card, used: usedBytes })
        : message('ending.listedWithoutProcess', {
            count: pids.length,
            card,
            pids: pids.join(', '),
            used: usedBytes,
          }),
      message('ending.heldRemedy', { card }),
    ];
  });
}
