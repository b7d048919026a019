/** Which card is behind `/dev/nvidiaN`: the driver's own list under /proc, where minor numbers need not follow buses. */
import { normalizeBusId } from '../../shared/gpu/smi/card';
import type { CardReading } from '../../shared/gpu/types';
import { listProcFolder, readProcFile } from './procfs';

/** Minor numbers by bus id in `/proc/driver/nvidia/gpus/BUS/information`; empty where the driver shows none. */
export function readDeviceMinors(procFolder: string): ReadonlyMap<string, number> {
  const folder = `${procFolder}/driver/nvidia/gpus`;
  const buses = listProcFolder(folder);
  const minors = new Map<string, number>();
  for (const name of buses.ok ? buses.value : []) {
    const bus = normalizeBusId(name);
    const text = readProcFile(`${folder}/${name}/information`);
    const minor = text.ok ? /^Device Minor:\s*(\d+)/m.exec(text.value)?.[1] : undefined;
    if (bus !== null && minor !== undefined) minors.set(bus, Number(minor));
  }
  return minors;
}

/** nvidia-smi's index by minor number; where the driver tells no minor number, it is taken to equal the index. */
export function gpuIndexByMinor(
  cards: readonly CardReading[],
  minors: ReadonlyMap<string, number>,
): ReadonlyMap<number, number> {
  return new Map(
    cards.flatMap(({ index, pciBusId }) => {
      if (index === null) return [];
      const minor = pciBusId === null ? undefined : minors.get(pciBusId);
      return [[minor ?? index, index] as const];
    }),
  );
}
