import type { Component } from 'svelte';
import { places, type Place } from '../../shared/alerts/places';
import Workstation from '../workstation/Workstation.svelte';

/** The first view comes with the window; the others are files of their own, so that its first values show sooner. */
const loaders: Readonly<Record<Place, () => Promise<{ readonly default: Component }>>> = {
  workstation: () => Promise.resolve({ default: Workstation }),
  plan: () => import('../plan/Plan.svelte'),
  doctor: () => import('../doctor/Doctor.svelte'),
  check: () => import('../check/Check.svelte'),
  settings: () => import('../settings/Settings.svelte'),
};

const loaded = new Map<Place, Component>([['workstation', Workstation]]);

/** The view of a place, null while it has not been loaded. */
export function loadedView(place: Place): Component | null {
  return loaded.get(place) ?? null;
}

export async function loadView(place: Place): Promise<Component> {
  const { default: view } = await loaders[place]();
  loaded.set(place, view);
  return view;
}

/** Loads them all, for the time when nothing else is to do. */
export async function loadViews(): Promise<void> {
  for (const place of places) await loadView(place);
}
