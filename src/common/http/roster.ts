/** A place on a {@link Roster}; empty once what had it is gone. */
export interface Place<T> {
  holder: T | null;
}

/** So few are not worth looking through. */
const FEW = 32;

/**
 * What is here for now, by the thousand a second: requests, connections. Not a Map or a Set: V8 has the table that one of these
 * has outgrown point to the next, and so, once the first has grown old, keeps all that is ever put in until the next full
 * collection, which makes each smaller one ten times as long.
 */
export class Roster<T> {
  private places: Place<T>[] = [];
  private empty = 0;

  add(holder: T): Place<T> {
    const place = { holder };
    this.places.push(place);
    return place;
  }

  /** Nothing happens to one that is empty. */
  remove(place: Place<T>): void {
    if (place.holder === null) return;
    place.holder = null;
    this.empty += 1;
    if (this.empty <= FEW || this.empty * 2 <= this.places.length) return;
    this.places = this.places.filter(({ holder }) => holder !== null);
    this.empty = 0;
  }

  /** @returns all that is here, in the order of its coming */
  present(): T[] {
    return this.places.flatMap(({ holder }) => (holder === null ? [] : [holder]));
  }
}
