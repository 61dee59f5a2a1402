import type { PageQueryDto } from './page-query.dto.js';

/** One page of a list, in the shape of the specification. */
export interface Page<T> {
  content: T[];
  pagination: {
    total: number;
    page: number;
    limit: number;
    totalPages: number;
    hasNextPage: boolean;
    hasPrevPage: boolean;
  };
}

export function toPage<T>(content: T[], total: number, { page, limit }: PageQueryDto): Page<T> {
  const totalPages = Math.ceil(total / limit);
  return {
    content,
    pagination: { total, page, limit, totalPages, hasNextPage: page < totalPages, hasPrevPage: page > 1 },
  };
}
