import { CommandError } from '../command-error.js';
import type { Scope } from '../expressions/expression.js';
import { compileFilter, type Predicate } from '../query/filter.js';
import { isDocument, splitPath, type Document } from '../values/document.js';
import { Place } from '../values/place.js';

/** Index of the element that the query matched, taken before anything was changed. */
type Matched = () => number | undefined;

/** Turns paths with `$`, `$[]` and `$[name]` into the concrete paths they mean in one document. */
export class PathResolver {
  private readonly arrayFilters = new Map<string, Predicate>();

  /**
   * @throws CommandError 2 for a name without an array filter, or that none can have, 9 for an array filter that is malformed or
   * never referred to
   */
  constructor(paths: string[], arrayFilters: unknown, scope: Scope) {
    for (const filter of (arrayFilters as Document[] | undefined) ?? []) {
      const [name, another] = new Set(identifiersOf(filter));
      if (!name || another !== undefined) {
        throw new CommandError(9, 'Expected a single top-level field name in each of arrayFilters');
      }
      if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) {
        throw new CommandError(
          2,
          `An array filter's name is letters and digits, the first in lower case: not '${name}'`,
        );
      }
      if (this.arrayFilters.has(name)) {
        throw new CommandError(9, `Found multiple array filters with the same top-level field name ${name}`);
      }
      this.arrayFilters.set(name, compileFilter(filter, scope));
    }
    const used = new Set([...paths.join('.').matchAll(/\$\[([^\].]+)\]/g)].map(([, name]) => name as string));
    const missing = [...used].find((name) => !this.arrayFilters.has(name));
    if (missing) throw new CommandError(2, `No array filter found for identifier '${missing}'`);
    const unused = [...this.arrayFilters.keys()].find((name) => !used.has(name));
    if (unused) throw new CommandError(9, `The array filter for identifier '${unused}' was not used in the update`);
  }

  /** @throws CommandError 2 when `$` has no match */
  resolve(document: Document, path: string, matched: Matched): Place[] {
    const parts = splitPath(path);
    let paths: string[][] = [[]];
    for (const part of parts) {
      paths = paths.flatMap((before) => this.meanings(document, before, part, matched).map((one) => [...before, one]));
    }
    return paths.map((concrete) => new Place(document, concrete));
  }

  /** What a part of a path stands for behind the parts before it. */
  private meanings(document: Document, before: string[], part: string, matched: Matched): string[] {
    const path = before.join('.');
    if (part === '$') {
      const index = matched();
      if (index !== undefined) return [String(index)];
      throw new CommandError(2, 'The positional operator did not find the match needed from the query.');
    }
    const name = /^\$\[(.*)\]$/.exec(part)?.[1];
    if (name === undefined) return [part];
    const accepts = name === '' ? () => true : this.arrayFilters.get(name);
    if (!accepts) throw new CommandError(2, `No array filter found for identifier '${name}' in path '${path}'`);
    const array = new Place(document, before).get();
    if (!Array.isArray(array)) throw new CommandError(2, `The path '${path}' must lead to an array`);
    return Object.keys(array).filter((index) => accepts({ [name]: array[Number(index)] }));
  }
}

function identifiersOf(filter: unknown): string[] {
  if (!isDocument(filter)) return [];
  return Object.entries(filter).flatMap(([key, value]) => {
    if (!key.startsWith('$')) return key.split('.', 1);
    return Array.isArray(value) ? value.flatMap(identifiersOf) : [];
  });
}
