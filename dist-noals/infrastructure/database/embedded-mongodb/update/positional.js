import { CommandError } from '../command-error.js';
import { compileFilter } from '../query/filter.js';
import { isDocument, splitPath } from '../values/document.js';
import { Place } from '../values/place.js';
/** Turns paths with `$`, `$[]` and `$[name]` into the concrete paths they mean in one document. */
export class PathResolver {
    arrayFilters = new Map();
    used = new Set();
    /** @throws CommandError 9 for an array filter that is malformed */
    constructor(arrayFilters, options) {
        for (const filter of arrayFilters ?? []) {
            const name = identifierOf(filter);
            if (name === undefined)
                throw new CommandError(9, 'Cannot use an expression without a top-level field name in arrayFilters');
            if (this.arrayFilters.has(name)) {
                throw new CommandError(9, `Found multiple array filters with the same top-level field name ${name}`);
            }
            this.arrayFilters.set(name, compileFilter(filter, options));
        }
    }
    /**
     * @param matched index of the element that the query matched in an array, taken before anything was changed
     * @throws CommandError 2 when `$` has no match or a name has no array filter
     */
    resolve(document, path, matched) {
        const parts = splitPath(path);
        if (parts.includes('')) {
            throw new CommandError(56, `The update path '${path}' contains an empty field name, which is not allowed.`);
        }
        return this.expand(document, parts, [], matched).map((concrete) => new Place(document, concrete));
    }
    /** @throws CommandError 9 when an array filter was never referred to */
    checkAllUsed() {
        for (const name of this.arrayFilters.keys()) {
            if (this.used.has(name))
                continue;
            throw new CommandError(9, `The array filter for identifier '${name}' was not used in the update`);
        }
    }
    expand(document, rest, done, matched) {
        const position = rest.findIndex((part) => part.startsWith('$'));
        const part = rest[position];
        if (part === undefined || (part !== '$' && !part.startsWith('$[')))
            return [[...done, ...rest]];
        const before = [...done, ...rest.slice(0, position)];
        const after = rest.slice(position + 1);
        if (part === '$') {
            const index = matched(before.join('.'));
            if (index === undefined) {
                throw new CommandError(2, 'The positional operator did not find the match needed from the query.');
            }
            return this.expand(document, after, [...before, String(index)], matched);
        }
        return this.selected(document, before, part.slice(2, -1)).flatMap((index) => this.expand(document, after, [...before, String(index)], matched));
    }
    selected(document, arrayPath, name) {
        const accepts = name === '' ? () => true : this.arrayFilters.get(name);
        if (!accepts) {
            throw new CommandError(2, `No array filter found for identifier '${name}' in path '${arrayPath.join('.')}'`);
        }
        this.used.add(name);
        const array = new Place(document, arrayPath).get();
        if (!Array.isArray(array)) {
            const path = arrayPath.join('.');
            throw new CommandError(2, `The path '${path}' must exist in the document in order to apply array updates.`);
        }
        return [...array.keys()].filter((index) => accepts({ [name]: array[index] }));
    }
}
function identifierOf(filter) {
    if (!isDocument(filter))
        return undefined;
    for (const [key, value] of Object.entries(filter)) {
        if (!key.startsWith('$'))
            return key.split('.')[0];
        const inner = Array.isArray(value) ? value.map(identifierOf).find((name) => name !== undefined) : undefined;
        if (inner)
            return inner;
    }
    return undefined;
}
//# sourceMappingURL=positional.js.map