import type { Fold } from '../values/collation.js';
import { identity } from '../values/order.js';

export interface Group<T> {
  value: unknown;
  members: T[];
}

/** Items that have the same value, groups and members in the order in which they come. */
export function groupedBy<T>(items: readonly T[], valueOf: (item: T) => unknown, fold?: Fold): Group<T>[] {
  const found = new Map<string, Group<T>>();
  for (const item of items) {
    const value = valueOf(item);
    const key = identity(value, fold);
    const known = found.get(key);
    if (known) known.members.push(item);
    else found.set(key, { value, members: [item] });
  }
  return [...found.values()];
}
