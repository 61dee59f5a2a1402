import { IsWholeNumber } from '../validation/index.js';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
/** The database walks over all entries before a page: the cost grows with the page's number. */
const MAX_PAGE = 1_000_000;

/** `page` and `limit` of a list. */
export class PageQueryDto {
  @IsWholeNumber({ minimum: 1, maximum: MAX_PAGE, default: 1, description: 'The first page is 1' })
  page: number = 1;

  @IsWholeNumber({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: 'Entries of a page' })
  limit: number = DEFAULT_LIMIT;
}
