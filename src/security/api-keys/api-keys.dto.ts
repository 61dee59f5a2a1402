import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsString, Matches, Max, Min } from 'class-validator';
import { ApiDateTime, ApiObjectId } from '../../common/openapi/index.js';
import { IsDateTime, IsOmittable } from '../../common/validation/index.js';
import { API_KEY_NAME, API_KEY_NAME_RULE, publicPartOf } from './api-key.js';
import type { ApiKey } from './api-key.schema.js';
import type { IssuedApiKey } from './api-keys.js';

const MAX_OVERLAP_SECONDS = 604_800;
const KEY_EXAMPLE = 'ak_66f2a1b3c4d5e6f708192a3b_2Yw0n1r8mG3kq5T7v9xZbC4dE6fH8jL0pN2sU4wY6aA';

export class IssueApiKeyDto {
  @ApiProperty({
    pattern: API_KEY_NAME.source,
    example: 'web-shop',
    description: 'Names the calling application in the list and in the logs; each name once',
  })
  @Matches(API_KEY_NAME, { message: API_KEY_NAME_RULE })
  @IsString({ message: 'name must be a string' })
  name: string;

  @IsDateTime({
    example: '2099-01-01T00:00:00.000Z',
    description: 'Refused from then on; without it the key is good until it is revoked',
    isOptional: true,
  })
  expires_at?: string;
}

export class RotateApiKeyDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_OVERLAP_SECONDS,
    example: 3600,
    description: 'How long the present key stays good beside the new one, in seconds; 0 unless sent',
  })
  @Max(MAX_OVERLAP_SECONDS, { message: `overlap_seconds must be at most ${MAX_OVERLAP_SECONDS}` })
  @Min(0, { message: 'overlap_seconds must be 0 or more' })
  @IsInt({ message: 'overlap_seconds must be a whole number' })
  @IsOmittable()
  overlap_seconds?: number;
}

/** A stored key. The key itself is not stored, and shown only in the answer that issues it. */
export class ApiKeyDto {
  @ApiObjectId()
  _id: string;

  @ApiProperty({ example: 'web-shop' })
  name: string;

  @ApiProperty({ example: 'ak_66f2a1b3c4d5e6f708192a3b', description: 'How the key begins' })
  prefix: string;

  @ApiDateTime()
  created_at: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '66f2a1b3c4d5e6f708192a3c',
    description: 'The administrator; null for a key of the command line',
  })
  created_by: string | null;

  @ApiDateTime({
    isNullable: true,
    example: null,
    description: 'When the present key replaced another; null if it never did',
  })
  rotated_at: string | null;

  @ApiDateTime({ isNullable: true, example: null, description: 'Until then the key that was replaced is good as well' })
  previous_until: string | null;

  @ApiDateTime({ isNullable: true, example: '2099-01-01T00:00:00.000Z' })
  expires_at: string | null;

  @ApiDateTime({ isNullable: true, description: 'Exact to ten minutes' })
  last_used_at: string | null;
}

export class IssuedApiKeyDto extends ApiKeyDto {
  @ApiProperty({ example: KEY_EXAMPLE, description: 'The key: shown here and never again' })
  key: string;
}

export function toApiKeyDto(key: ApiKey): ApiKeyDto {
  const id = key._id.toHexString();
  return {
    _id: id,
    name: key.name,
    prefix: publicPartOf(id),
    created_at: key.created_at.toISOString(),
    created_by: key.created_by?.toHexString() ?? null,
    rotated_at: key.rotated_at?.toISOString() ?? null,
    previous_until: key.previous_until?.toISOString() ?? null,
    expires_at: key.expires_at?.toISOString() ?? null,
    last_used_at: key.last_used_at?.toISOString() ?? null,
  };
}

export function toIssuedApiKeyDto({ key, stored }: IssuedApiKey): IssuedApiKeyDto {
  return { ...toApiKeyDto(stored), key };
}
