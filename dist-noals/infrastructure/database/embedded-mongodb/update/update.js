import { CommandError } from '../command-error.js';
import { compileFilter } from '../query/filter.js';
import { matchedIndex } from '../query/matched-index.js';
import { copy, isDocument } from '../values/document.js';
import { equal } from '../values/order.js';
import { OPERATORS } from './field-operators.js';
import { runUpdatePipeline } from './pipeline-update.js';
import { PathResolver } from './positional.js';
/**
 * Compiles the update of a statement into a function from the old document, which it leaves alone, to the new one.
 * @throws CommandError for unknown operators and conflicting paths
 */
export function compileUpdate(statement, options) {
    const { update } = statement;
    if (Array.isArray(update)) {
        return (document) => keepId(document, runUpdatePipeline(document, update, statement.variables));
    }
    if (!isDocument(update))
        throw new CommandError(9, 'Update argument must be either an object or an array');
    const keys = Object.keys(update);
    if (keys[0]?.startsWith('$'))
        return operatorUpdate(statement, update, options);
    if (statement.isMulti)
        throw new CommandError(9, 'multi update is not supported for replacement-style update');
    const dollar = keys.find((key) => key.startsWith('$'));
    if (dollar) {
        throw new CommandError(52, `The dollar ($) prefixed field '${dollar}' in '${dollar}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`);
    }
    return (document) => keepId(document, copy(update));
}
function keepId(document, result) {
    if (!('_id' in document))
        return result;
    if ('_id' in result && !equal(result['_id'], document['_id']))
        throw immutableId();
    const { _id: _unchanged, ...rest } = result;
    return { _id: document['_id'], ...rest };
}
function immutableId() {
    return new CommandError(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
}
function operatorUpdate(statement, update, options) {
    const steps = stepsOf(update);
    compileFilter(statement.filter, options);
    const resolver = new PathResolver(statement.arrayFilters, options);
    return (original, { now, isInsert = false }) => {
        const document = copy(original);
        const matched = (path) => matchedIndex(statement.filter, original, path, options);
        const planned = steps.map((step) => ({ ...step, places: resolver.resolve(document, step.path, matched) }));
        resolver.checkAllUsed();
        refuseConflicts(planned.flatMap(({ places, operator, operand }) => pathsTouched(places, operator, operand)));
        const context = { ...options, now, isInsert };
        for (const { places, operator, operand } of planned) {
            for (const place of places) {
                if (operator === 'rename')
                    rename(place, resolver.resolve(document, String(operand), matched)[0]);
                else
                    operator(place, operand, context);
            }
        }
        if ('_id' in original && !equal(original['_id'], document['_id']))
            throw immutableId();
        return document;
    };
}
function stepsOf(update) {
    return Object.keys(update).flatMap((name) => {
        const operator = name === '$rename' ? 'rename' : OPERATORS.get(name);
        if (!operator) {
            throw new CommandError(9, `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`);
        }
        const fields = update[name];
        if (!isDocument(fields)) {
            throw new CommandError(9, `Modifiers operate on fields but we found another type instead. For example: {$mod: {<field>: ...}} not {${name}: ${JSON.stringify(fields)}}`);
        }
        return Object.keys(fields).map((path) => ({ path, operand: fields[path], operator }));
    });
}
function pathsTouched(places, operator, operand) {
    const paths = places.map((place) => place.path);
    return operator === 'rename' ? [...paths, String(operand)] : paths;
}
function refuseConflicts(paths) {
    const sorted = paths.map((path) => `${path}.`).sort();
    for (let i = 1; i < sorted.length; i++) {
        const path = sorted[i];
        const previous = sorted[i - 1];
        if (path.startsWith(previous)) {
            const where = previous.slice(0, -1);
            throw new CommandError(40, `Updating the path '${path.slice(0, -1)}' would create a conflict at '${where}'`);
        }
    }
}
function rename(from, to) {
    const value = from.get();
    if (value === undefined)
        return;
    from.unset();
    to.set(value);
}
//# sourceMappingURL=update.js.map