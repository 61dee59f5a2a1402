import type { Model, QueryFilter, SortOrder } from 'mongoose';
import { type Page, type PageQueryDto, toPage } from '../../common/pagination/index.js';

/**
 * One page of a collection, as plain objects.
 * @param sort must end in a field that no two documents share (`_id`), or a document could stand on two pages; an
 *   index over filter and sort together keeps the first page as fast as it was when the collection was small
 */
export async function findPage<T>(
  model: Model<T>,
  filter: QueryFilter<T>,
  sort: Record<string, SortOrder>,
  query: PageQueryDto,
): Promise<Page<T>> {
  const { page, limit } = query;
  const [content, total] = await Promise.all([
    model
      .find(filter)
      .sort(sort)
      .skip((page - 1) * limit)
      .limit(limit)
      .lean<T[]>(),
    model.countDocuments(filter),
  ]);
  return toPage(content, total, query);
}

/** Matches what begins with the text, taken literally and in the case it has: an index over the field serves it. */
export function startsWith(text: string): RegExp {
  return new RegExp(`^${text.replace(/[^\p{L}\p{N}]/gu, '\\$&')}`);
}
