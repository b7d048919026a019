import type { Place } from '../../shared/alerts/places';
import type { MessageKey } from '../../shared/i18n/message';
import type { IconName } from '../ui/icons';

export interface PlaceEntry {
  readonly place: Place;
  readonly name: Extract<
    MessageKey,
    'app.workstation' | 'app.plan' | 'app.doctor' | 'app.check' | 'app.settings'
  >;
  readonly icon: IconName;
  /** The key that leads here: its number among the five places, also while others are missing. */
  readonly key: '1' | '2' | '3' | '4' | '5';
}

/** The places that the rail shows; their views are in views.ts. */
export const placeEntries: readonly PlaceEntry[] = [
  { place: 'workstation', name: 'app.workstation', icon: 'workstation', key: '1' },
  { place: 'plan', name: 'app.plan', icon: 'plan', key: '2' },
  { place: 'doctor', name: 'app.doctor', icon: 'doctor', key: '3' },
  { place: 'check', name: 'app.check', icon: 'check', key: '4' },
  { place: 'settings', name: 'app.settings', icon: 'settings', key: '5' },
];
