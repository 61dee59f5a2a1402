import { Aggregator } from 'mingo/aggregator';
import { Context, evalExpr } from 'mingo/core';
import { Lazy } from 'mingo/lazy';
import * as pipelineOperators from 'mingo/operators/pipeline';
import * as windowOperators from 'mingo/operators/window';
import { CommandError, unsupported } from '../command-error.js';
import { compileFilter } from '../query/filter.js';
import { leaves } from '../query/leaves.js';
import { compileProjection } from '../query/projection.js';
import { compileSortKey, sorted } from '../query/sort.js';
import { Place } from '../values/place.js';
import { copy, isDocument } from '../values/document.js';
import { encode } from '../values/order.js';
import { asCommandError, expressionContext, MINGO_OPTIONS } from './expressions.js';
/** Runs aggregation stages over documents decoded for mingo; the documents may be changed on the way. */
export function runStages(documents, stages, options = {}) {
    return asCommandError(() => new Aggregator(stages, mingoOptions(options)).run(documents));
}
function mingoOptions(options) {
    const context = Context.from(expressionContext());
    context.addPipelineOps({ ...ownStages(options) });
    const { $out: _out, $merge: _merge, ...stages } = pipelineOperators;
    context.addPipelineOps(stages);
    context.addWindowOps({ ...windowOperators });
    const resolve = options.resolve ?? ((name) => refuseCollection(name));
    return { ...MINGO_OPTIONS, context, variables: options.variables ?? {}, collectionResolver: resolve };
}
function refuseCollection(name) {
    throw new CommandError(2, `The collection ${name} cannot be read here`);
}
/** Stages in which values are compared: mingo's comparison is not BSON's, see the README. */
function ownStages(stage) {
    const { fold } = stage;
    const evaluating = (options) => ({
        fold,
        evaluate: (expression, document) => evalExpr(document, expression, options),
    });
    const transform = (documents, change) => documents.transform(((all) => Lazy(change(all))));
    return {
        $match: (documents, filter, options) => {
            const matches = compileFilter(filter, evaluating(options));
            return documents.filter(matches);
        },
        $sort: (documents, order) => {
            if (!isDocument(order) || Object.keys(order).length === 0) {
                throw new CommandError(15976, '$sort stage must have at least one sort key');
            }
            const keyOf = compileSortKey(order, fold);
            return transform(documents, (all) => sorted(all, keyOf));
        },
        $project: (documents, specification, options) => {
            if (!isDocument(specification) || Object.keys(specification).length === 0) {
                throw new CommandError(51272, '$project specification must have at least one field');
            }
            const project = compileProjection(specification, { ...evaluating(options), isStage: true });
            return documents.map(project);
        },
        $group: (documents, specification, options) => {
            if (!('_id' in specification))
                throw new CommandError(15955, 'a group specification must include an _id');
            return transform(documents, (all) => group(all, specification, options, fold));
        },
        $count: (documents, field) => transform(documents, (all) => (all.length > 0 ? [{ [field]: all.length }] : [])),
        $lookup: (documents, specification, options) => lookup(documents, specification, options, stage),
        $setWindowFields: (documents, specification, options) => {
            if (JSON.stringify(specification).includes('"$function"'))
                throw unsupported('Aggregation operator $function');
            // mingo builds this stage out of its own $function, which no client can reach.
            const trusted = { ...options.options, scriptEnabled: true };
            return pipelineOperators.$setWindowFields(documents, specification, trusted);
        },
    };
}
function group(documents, specification, options, fold) {
    const { _id: expression, ...fields } = specification;
    const groups = new Map();
    for (const document of documents) {
        const id = evalExpr(document, expression, options) ?? null;
        const key = encode(id, fold).toString('latin1');
        const known = groups.get(key);
        if (known)
            known.members.push(document);
        else
            groups.set(key, { id, members: [document] });
    }
    return [...groups.values()].map(({ id, members }) => {
        const result = { _id: id };
        for (const [name, accumulator] of Object.entries(fields)) {
            result[name] = evalExpr(members, accumulator, options) ?? null;
        }
        return result;
    });
}
function lookup(documents, specification, options, stage) {
    const { from, localField, foreignField, as, pipeline, let: variables = {} } = specification;
    const foreign = typeof from === 'string' ? (stage.resolve ?? refuseCollection)(from) : [];
    if (typeof as !== 'string')
        throw new CommandError(9, "must specify 'as' field for a $lookup");
    if (!pipeline && (typeof localField !== 'string' || typeof foreignField !== 'string')) {
        throw new CommandError(9, '$lookup requires both localField and foreignField, or a pipeline');
    }
    const join = typeof localField === 'string' ? joiner(foreign, localField, String(foreignField), stage.fold) : () => foreign;
    return documents.map(((document) => {
        let joined = join(document).map(copy);
        if (Array.isArray(pipeline)) {
            const bound = evalExpr(document, variables, options);
            joined = runStages(joined, pipeline, { ...stage, variables: { ...stage.variables, ...bound } });
        }
        const result = { ...document };
        new Place(result, as.split('.')).set(joined);
        return result;
    }));
}
function joiner(foreign, localField, foreignField, fold) {
    const hash = (value) => encode(value, fold).toString('latin1');
    const values = (document, path) => leaves(document, path.split('.')).flatMap((leaf) => (Array.isArray(leaf) ? leaf.map(hash) : [hash(leaf)]));
    const positions = new Map();
    foreign.forEach((document, position) => {
        for (const value of new Set(values(document, foreignField))) {
            positions.set(value, [...(positions.get(value) ?? []), position]);
        }
    });
    return (local) => {
        const found = new Set(values(local, localField).flatMap((value) => positions.get(value) ?? []));
        return [...found].sort((a, b) => a - b).map((position) => foreign[position]);
    };
}
//# sourceMappingURL=stages.js.map