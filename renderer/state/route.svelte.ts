import type { Destination, Place } from '../../shared/alerts/places';

/** Where the window is, and what it was asked to show there. */
export class Route {
  place = $state<Place>('workstation');
  /** The last destination, for the view that it is about; a new object each time, also for the same place. */
  destination = $state.raw<Destination | null>(null);

  go(place: Place): void {
    this.place = place;
  }

  follow(destination: Destination): void {
    this.place = destination.place;
    this.destination = destination;
  }
}
