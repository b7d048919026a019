import type { Card } from '../../shared/gpu/types';
import type { I18n } from '../state/i18n.svelte';

/** A card's readings beside its memory, in words; null is unknown. */
export interface CardMetrics {
  readonly utilisation: string | null;
  readonly temperature: string | null;
  readonly power: string | null;
  /** The draw alone, where there is no room for its limit. */
  readonly powerDraw: string | null;
  readonly fan: string | null;
  readonly clock: string | null;
}

export function cardMetrics(card: Card, i18n: I18n): CardMetrics {
  const whole = (value: number | null, unit: string): string | null =>
    value === null ? null : `${i18n.number(value)} ${unit}`;
  return {
    utilisation: card.utilizationPercent === null ? null : i18n.percent(card.utilizationPercent),
    temperature: whole(card.temperatureC, '°C'),
    power:
      card.powerWatts === null || card.powerLimitWatts === null
        ? whole(card.powerWatts, 'W')
        : `${i18n.number(card.powerWatts)} / ${i18n.number(card.powerLimitWatts)} W`,
    powerDraw: whole(card.powerWatts, 'W'),
    fan: card.fanPercent === null ? null : i18n.percent(card.fanPercent),
    clock: whole(card.smClockMHz, 'MHz'),
  };
}
