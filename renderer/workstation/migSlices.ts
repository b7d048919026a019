import type { Snapshot } from '../../shared/alerts/snapshot';
import { sliceOf } from '../../shared/gpu/migNames';
import type { MigSlice } from '../../shared/gpu/types';
import type { I18n } from '../state/i18n.svelte';

/** A MIG device by its place on the card: `MIG 1/0`. */
export function slicePlace({ gpuInstance, computeInstance }: MigSlice, i18n: I18n): string {
  return computeInstance === null
    ? i18n.t('workstation.migSliceGpu', { gpuInstance })
    : i18n.t('workstation.migSlice', { gpuInstance, computeInstance });
}

/** The MIG devices that processes run in, by pid: the profile where it is known, else the place on the card. */
export function sliceNames({ cards, processes }: Snapshot, i18n: I18n): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const process of processes) {
    const slice = sliceOf(process, cards);
    if (slice === null || process.pid === null) continue;
    const name = slice.profile ?? slicePlace(slice, i18n);
    const before = names.get(process.pid);
    names.set(process.pid, before === undefined || before === name ? name : `${before}, ${name}`);
  }
  return names;
}
