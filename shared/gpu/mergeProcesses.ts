import type { CardReading, GpuProcess } from './types';

/** What the two ways of asking say of processes; both may lag behind by a moment. */
export interface ProcessLists {
  /** `--query-compute-apps`, every tick; null while it gives nothing that can be trusted. */
  readonly apps: readonly GpuProcess[] | null;
  /** `-q -x`, now and then: also desktop programs, types and MIG instances. */
  readonly details: readonly GpuProcess[];
  readonly cards: readonly CardReading[];
  /** Whether a process that only `details` lists is still there. */
  readonly isAlive: (pid: number) => boolean;
}

/**
 * The processes on cards, one entry a card, process and MIG instance. Memory comes from the list of every tick, the
 * rest from the detailed one. A desktop program (G) shows only in the detailed list and stays while it lives.
 */
export function mergeProcesses({ apps, details, cards, isAlive }: ProcessLists): readonly GpuProcess[] {
  const indexOf = cardIndex(cards);
  const detailed = details.map((process) => ({ ...process, gpuIndex: indexOf(process) }));
  if (apps === null) return detailed.filter(({ pid }) => pid !== null && isAlive(pid));
  const detailOf = new Map<string, GpuProcess[]>();
  for (const process of detailed) {
    const same = detailOf.get(key(process));
    if (same === undefined) detailOf.set(key(process), [process]);
    else same.push(process);
  }
  const seen = new Map<string, number>();
  const listed = apps.map((process) => {
    const placed = { ...process, gpuIndex: indexOf(process) };
    const place = seen.get(key(placed)) ?? 0;
    seen.set(key(placed), place + 1);
    const detail = detailOf.get(key(placed))?.[place];
    return {
      ...placed,
      type: placed.type ?? detail?.type ?? 'C',
      name: placed.name ?? detail?.name ?? null,
      usedBytes: placed.usedBytes ?? detail?.usedBytes ?? null,
      gpuInstance: placed.gpuInstance ?? detail?.gpuInstance ?? null,
      computeInstance: placed.computeInstance ?? detail?.computeInstance ?? null,
    };
  });
  const graphics = detailed.filter(
    (process) =>
      process.type === 'G' && !seen.has(key(process)) && process.pid !== null && isAlive(process.pid),
  );
  return [...listed, ...graphics];
}

function key({ gpuIndex, pid }: GpuProcess): string {
  return `${gpuIndex} ${pid}`;
}

/** The card of a process by its index, or by the UUID of the card or of one of its MIG devices. */
function cardIndex(cards: readonly CardReading[]): (process: GpuProcess) => number | null {
  const byUuid = new Map<string, number>();
  for (const { uuid, index, mig } of cards) {
    if (index === null) continue;
    if (uuid !== null) byUuid.set(uuid, index);
    for (const slice of mig) if (slice.uuid !== null) byUuid.set(slice.uuid, index);
  }
  return ({ gpuIndex, gpuUuid }) => gpuIndex ?? (gpuUuid === null ? null : (byUuid.get(gpuUuid) ?? null));
}
