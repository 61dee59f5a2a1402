import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
/** Deeper pages cost a scan as long as they are deep. */
const MAX_PAGE = 1_000_000;

/** `page` and `limit` of a list; anything but plain decimal digits (`1e2`, `0x10`, ` 20`) is refused. */
export class PageQueryDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE,
    default: 1,
    example: 1,
    description: 'The first page is 1',
  })
  @Transform(({ value }) => plainNumber(value))
  @Max(MAX_PAGE, { message: `page must be at most ${MAX_PAGE}` })
  @Min(1, { message: 'page must be 1 or more' })
  @IsInt({ message: 'page must be a whole number' })
  @IsOptional()
  page: number = 1;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    example: DEFAULT_LIMIT,
    description: 'Entries of a page',
  })
  @Transform(({ value }) => plainNumber(value))
  @Max(MAX_LIMIT, { message: `limit must be at most ${MAX_LIMIT}` })
  @Min(1, { message: 'limit must be 1 or more' })
  @IsInt({ message: 'limit must be a whole number' })
  @IsOptional()
  limit: number = DEFAULT_LIMIT;
}

function plainNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
}
