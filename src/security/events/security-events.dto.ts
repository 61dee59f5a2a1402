import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { ApiDateTime, ApiObjectId } from '../../common/openapi/index.js';
import { PageQueryDto } from '../../common/pagination/index.js';
import { IsDateTime, IsObjectId, IsOmittable } from '../../common/validation/index.js';
import { SECURITY_EVENT_KINDS, type SecurityEventKind } from './security-event-kinds.js';
import type { SecurityEvent } from './security-event.schema.js';

const KIND = { enum: SECURITY_EVENT_KINDS, enumName: 'SecurityEventKind' };

export class SecurityEventsQueryDto extends PageQueryDto {
  @IsObjectId({ description: 'Events of one account', isOptional: true })
  user?: string;

  @ApiPropertyOptional({ ...KIND, example: 'authn_login_fail', description: 'Events of one kind' })
  @IsIn(SECURITY_EVENT_KINDS, { message: `kind must be one of ${SECURITY_EVENT_KINDS.join(', ')}` })
  @IsOmittable()
  kind?: SecurityEventKind;

  @IsObjectId({ description: 'Events of requests that bore a token of this account', isOptional: true })
  by?: string;

  @IsDateTime({ description: 'Events of this moment and later', isOptional: true })
  since?: string;

  @IsDateTime({ example: '2026-02-01T00:00:00Z', description: 'Events before this moment', isOptional: true })
  until?: string;
}

export class SecurityEventDto {
  @ApiObjectId()
  _id: string;

  @ApiProperty({ ...KIND, example: 'authn_login_fail' })
  kind: SecurityEventKind;

  @ApiProperty({ enum: ['success', 'failure'], example: 'failure' })
  outcome: 'success' | 'failure';

  @ApiDateTime()
  at: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '66f2a1b3c4d5e6f708192a3b',
    description: 'The account concerned',
  })
  user: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '66f2a1b3c4d5e6f708192a3b',
    description:
      'The account whose token the request bore, even if its session was over: of an administrator, where `user` is another',
  })
  by: string | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'The session concerned' })
  session: string | null;

  @ApiProperty({ type: String, nullable: true, example: '203.0.113.7' })
  ip: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '3f0d7f5e-8a53-4b0f-9a35-55a3e1d6f4a5',
    description: '`x-request-id`',
  })
  request_id: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'invalid_credentials',
    description: 'Error code, route, or the like',
  })
  detail: string | null;
}

export function toSecurityEventDto(event: SecurityEvent): SecurityEventDto {
  const { _id, kind, outcome, at, user, by, session, ip, request_id, detail } = event;
  return {
    _id: _id.toHexString(),
    kind,
    outcome,
    at: at.toISOString(),
    user: user?.toHexString() ?? null,
    by: by?.toHexString() ?? null,
    session,
    ip,
    request_id,
    detail,
  };
}
