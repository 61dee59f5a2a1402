/** A place on a {@link Roster}; empty (null) once its holder was removed. */
export interface Place<T> {
  holder: T | null;
}

/** So few empty places are not worth a clean-up. */
const FEW = 32;

/**
 * A set of short-lived things that come and go by the thousand a second: requests, connections. It is not a Map or a Set for
 * the garbage collector's sake: when these grow, V8 links the old table to the new one. Once the old table is in the old
 * generation, it keeps everything ever added alive until the next full collection, and minor collections take ten times as long.
 */
export class Roster<T> {
  private places: Place<T>[] = [];
  private empty = 0;

  add(holder: T): Place<T> {
    const place = { holder };
    this.places.push(place);
    return place;
  }

  /** Does nothing if the place is empty already. */
  remove(place: Place<T>): void {
    if (place.holder === null) return;
    place.holder = null;
    this.empty += 1;
    if (this.empty <= FEW || this.empty * 2 <= this.places.length) return;
    this.places = this.places.filter(({ holder }) => holder !== null);
    this.empty = 0;
  }

  /** @returns all holders, in the order in which they were added */
  present(): T[] {
    return this.places.flatMap(({ holder }) => (holder === null ? [] : [holder]));
  }
}
