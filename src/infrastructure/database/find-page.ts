import type { Model, QueryFilter, SortOrder } from 'mongoose';
import { type Page, type PageQueryDto, toPage } from '../../common/pagination/index.js';

/** How many entries after a page are counted at most: the cost of counting grows with the count, which may be millions. */
const COUNTED_AHEAD = 1_000;

/**
 * One page of a collection, as plain objects. Its total is exact if at most a thousand entries follow the page; in a longer
 * filtered list it is the number counted so far, and grows with the pages. So the first page costs the same in a list of any
 * length.
 * @param sort must end with a unique field (`_id`), or a document could appear on two pages; with an index over filter and sort
 *   together nothing but the page itself is read
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

/** One page of a list that consists of several queries, one after the other. No document may match two of them. */
export async function findPageOf<T>(parts: PagePart<T>[], query: PageQueryDto): Promise<Page<T>> {
  const { page, limit } = query;
  const first = (page - 1) * limit;
  const content: T[] = [];
  let before = 0;
  for (const part of parts) {
    const found = await findSome(part, content.length > 0 ? 0 : first - before, limit - content.length);
    content.push(...found);
    if (content.length === limit) break;
    // This part is exhausted. Its length only matters if the page begins after it.
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

/** Without a filter, the collection's size is known and need not be counted. */
async function count<T>({ model, filter }: PagePart<T>, most: number): Promise<number> {
  return Object.keys(filter).length === 0 ? model.estimatedDocumentCount() : model.countDocuments(filter).limit(most);
}

/** Matches values that begin with the text, taken literally and case-sensitively, so that an index over the field serves it. */
export function startsWith(text: string): RegExp {
  return new RegExp(`^${text.replace(/[^\p{L}\p{N}]/gu, '\\$&')}`);
}
