import type { Component } from 'svelte';
import type { Place } from '../../shared/contract/places';
import type { MessageKey } from '../../shared/i18n/message';
import Check from '../check/Check.svelte';
import Doctor from '../doctor/Doctor.svelte';
import Plan from '../plan/Plan.svelte';
import Settings from '../settings/Settings.svelte';
import type { IconName } from '../ui/icons';
import Workstation from '../workstation/Workstation.svelte';

export interface PlaceEntry {
  readonly place: Place;
  readonly name: Extract<
    MessageKey,
    'app.workstation' | 'app.plan' | 'app.doctor' | 'app.check' | 'app.settings'
  >;
  readonly icon: IconName;
  /** The key that leads here: its number among the five places, also while others are missing. */
  readonly key: '1' | '2' | '3' | '4' | '5';
  readonly view: Component;
}

/** The places that the rail shows. A view that is ready gets its one line here. */
export const placeEntries: readonly PlaceEntry[] = [
  { place: 'workstation', name: 'app.workstation', icon: 'workstation', key: '1', view: Workstation },
  { place: 'plan', name: 'app.plan', icon: 'plan', key: '2', view: Plan },
  { place: 'doctor', name: 'app.doctor', icon: 'doctor', key: '3', view: Doctor },
  { place: 'check', name: 'app.check', icon: 'check', key: '4', view: Check },
  { place: 'settings', name: 'app.settings', icon: 'settings', key: '5', view: Settings },
];
