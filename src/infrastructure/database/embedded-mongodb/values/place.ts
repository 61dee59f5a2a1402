import { CommandError } from '../command-error.js';
import { assign, isArrayIndex, isDocument, own } from './document.js';

const MAX_ARRAY_PADDING = 1_500_000;

/** One concrete path inside a document that is being updated, whether or not something is there yet. */
export class Place {
  constructor(
    private readonly root: object,
    private readonly parts: readonly string[],
  ) {}

  get path(): string {
    return this.parts.join('.');
  }

  /** undefined: missing */
  get(): unknown {
    return this.parts.reduce<unknown>(inside, this.root);
  }

  get isInArray(): boolean {
    return this.parts.some((_part, length) => Array.isArray(new Place(this.root, this.parts.slice(0, length)).get()));
  }

  /** @throws CommandError 28 when a scalar is in the way, or an array without a number behind it */
  checkReachable(): void {
    this.parts.reduce<unknown>((holder, part) => {
      const isHolder = holder === undefined || isDocument(holder) || (Array.isArray(holder) && isArrayIndex(part));
      if (isHolder) return inside(holder, part);
      throw new CommandError(28, `Cannot use the part (${part}) of (${this.path}) to traverse the element`);
    }, this.root);
  }

  /** Creates the documents on the way. @throws CommandError 28 when a scalar or array is in the way */
  set(value: unknown): void {
    let holder: unknown = this.root;
    this.parts.forEach((part, position) => {
      const field = this.parts[position + 1];
      if (field === undefined) return setIn(holder, part, value);
      let next = inside(holder, part);
      if (next === undefined) {
        next = {};
        setIn(holder, part, next);
      }
      if (!isDocument(next) && !(Array.isArray(next) && isArrayIndex(field))) {
        throw new CommandError(28, `Cannot create field '${field}' in element {${part}: ${JSON.stringify(next)}}`);
      }
      holder = next;
    });
  }

  /** Removes a field; an array element becomes null, because the others keep their place. */
  unset(): void {
    const holder = new Place(this.root, this.parts.slice(0, -1)).get();
    const last = this.parts.at(-1) as string;
    if (Array.isArray(holder)) {
      if (isArrayIndex(last) && Number(last) < holder.length) holder[Number(last)] = null;
    } else if (isDocument(holder) && Object.hasOwn(holder, last)) {
      delete holder[last];
    }
  }
}

function inside(holder: unknown, part: string): unknown {
  if (Array.isArray(holder)) return isArrayIndex(part) ? holder[Number(part)] : undefined;
  return isDocument(holder) ? own(holder, part) : undefined;
}

function setIn(holder: unknown, part: string, value: unknown): void {
  if (!Array.isArray(holder)) return assign(holder as object, part, value);
  const index = Number(part);
  if (index - holder.length > MAX_ARRAY_PADDING)
    throw new CommandError(2, `can't backfill array to larger than ${index}`);
  while (holder.length < index) holder.push(null);
  holder[index] = value;
}
