/** The five places of the window, in the order of the rail and of the keys 1 to 5. */
export const places = ['workstation', 'plan', 'doctor', 'check', 'settings'] as const;
export type Place = (typeof places)[number];

/** Where to go, and what to show there: a card or a job that an alert or a menu line is about. */
export interface Destination {
  readonly place: Place;
  readonly gpuIndex: number | null;
  readonly jobId: string | null;
}
