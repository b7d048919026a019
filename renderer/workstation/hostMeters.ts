import type { HostReading } from '../../shared/snapshot/types';
import { columnUnit } from '../../shared/units';
import type { I18n } from '../state/i18n.svelte';

export interface Meter {
  readonly key: 'ram' | 'swap' | 'shm';
  readonly name: string;
  readonly usedBytes: number | null;
  readonly totalBytes: number | null;
  /** `41.2 / 64.0 GiB`, `none` for a swap that is not there; null where nothing is known. */
  readonly figures: string | null;
}

export function hostMeters(host: HostReading, i18n: I18n): readonly Meter[] {
  const meter = (key: Meter['key'], used: number | null, total: number | null): Meter => ({
    key,
    name: i18n.t(`workstation.${key}`),
    usedBytes: used,
    totalBytes: total,
    figures: figures(used, total, i18n),
  });
  return [
    meter('ram', host.memoryUsedBytes, host.memoryTotalBytes),
    meter('swap', host.swapUsedBytes, host.swapTotalBytes),
    meter('shm', host.shmUsedBytes, host.shmTotalBytes),
  ];
}

function figures(used: number | null, total: number | null, i18n: I18n): string | null {
  if (total === 0) return i18n.t('workstation.noSwap');
  if (used === null && total === null) return null;
  const unit = columnUnit([total ?? used]);
  const word = (bytes: number | null): string =>
    bytes === null ? i18n.t('common.unknown') : i18n.bytesIn(bytes, unit);
  return `${word(used)} / ${word(total)} ${unit}`;
}
