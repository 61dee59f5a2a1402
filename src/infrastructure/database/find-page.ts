import type { Model, QueryFilter, SortOrder } from 'mongoose';
import { type Page, type PageQueryDto, toPage } from '../../common/pagination/index.js';

/** How far beyond a page is counted. Counting costs as much as there is to count, and there may be millions. */
const COUNTED_AHEAD = 1_000;

/**
 * One page of a collection, as plain objects. Its total is exact while at most a thousand entries follow the page; of a
 * longer filtered list it is what was counted so far, and grows with the pages. So the first page costs the same however
 * much there is.
 * @param sort must end in a field that no two documents share (`_id`), or a document could stand on two pages; an
 *   index over filter and sort together lets the first page be found without looking at anything else
 */
export async function findPage<T>(
  model: Model<T>,
  filter: QueryFilter<T>,
  sort: Record<string, SortOrder>,
  query: PageQueryDto,
): Promise<Page<T>> {
  return findPageOf([{ model, filter, sort }], query);
}

export interface PagePart<T> {
  model: Model<T>;
  filter: QueryFilter<T>;
  sort: Record<string, SortOrder>;
}

/** One page of a list that is made of parts, one after the other. No document may be in two of them. */
export async function findPageOf<T>(parts: PagePart<T>[], query: PageQueryDto): Promise<Page<T>> {
  const { page, limit } = query;
  const first = (page - 1) * limit;
  const content: T[] = [];
  let before = 0;
  for (const part of parts) {
    const found = await findSome(part, content.length > 0 ? 0 : first - before, limit - content.length);
    content.push(...found);
    if (content.length === limit) break;
    // The part is at its end; how long it is only matters while the page has not begun.
    if (content.length === 0 && first > before) before += await count(part, first - before);
  }
  const isLast = content.length < limit && (content.length > 0 || page === 1);
  const total = isLast ? first + content.length : await countAll(parts, first + limit + COUNTED_AHEAD);
  return toPage(content, Math.max(total, content.length > 0 ? first + content.length : 0), query);
}

async function findSome<T>({ model, filter, sort }: PagePart<T>, skip: number, limit: number): Promise<T[]> {
  return model.find(filter).sort(sort).skip(skip).limit(limit).lean<T[]>();
}

async function countAll<T>(parts: PagePart<T>[], most: number): Promise<number> {
  let total = 0;
  for (const part of parts) if (total < most) total += await count(part, most - total);
  return total;
}

/** A whole collection knows its size. */
async function count<T>({ model, filter }: PagePart<T>, most: number): Promise<number> {
  return Object.keys(filter).length === 0 ? model.estimatedDocumentCount() : model.countDocuments(filter).limit(most);
}

/** Matches what begins with the text, taken literally and in the case it has: an index over the field serves it. */
export function startsWith(text: string): RegExp {
  return new RegExp(`^${text.replace(/[^\p{L}\p{N}]/gu, '\\$&')}`);
}
