import { toPage } from '../../common/pagination/index.js';
/**
 * One page of a collection, as plain objects.
 * @param sort must end in a field that no two documents share (`_id`), or a document could stand on two pages; an
 *   index over filter and sort together keeps the first page as fast as it was when the collection was small
 */
export async function findPage(model, filter, sort, query) {
    const { page, limit } = query;
    const [content, total] = await Promise.all([
        model
            .find(filter)
            .sort(sort)
            .skip((page - 1) * limit)
            .limit(limit)
            .lean(),
        model.countDocuments(filter),
    ]);
    return toPage(content, total, query);
}
/** Matches what begins with the text, taken literally and in the case it has: an index over the field serves it. */
export function startsWith(text) {
    return new RegExp(`^${text.replace(/[^\p{L}\p{N}]/gu, '\\$&')}`);
}
//# sourceMappingURL=find-page.js.map