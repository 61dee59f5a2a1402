import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ApiDateTime, ApiObjectId } from '../../common/openapi/index.js';
import { IdParamDto, IsObjectId } from '../../common/validation/index.js';
import type { LoginHistory } from '../sessions/login-history.schema.js';

class BrowserDto {
  @ApiPropertyOptional({ example: 'Firefox' })
  name?: string;

  @ApiPropertyOptional({ example: '128.0' })
  version?: string;

  @ApiPropertyOptional({ example: '128' })
  major?: string;
}

class OperatingSystemDto {
  @ApiPropertyOptional({ example: 'Linux' })
  name?: string;

  @ApiPropertyOptional({ example: '6.1' })
  version?: string;
}

class DeviceDto {
  @ApiProperty()
  browser: BrowserDto;

  @ApiProperty()
  os: OperatingSystemDto;

  @ApiPropertyOptional({ example: 'amd64' })
  platform?: string;

  @ApiProperty({ example: 'desktop', description: 'Device class' })
  source: string;
}

class LocationDto {
  @ApiPropertyOptional({ example: 'FR', description: 'ISO 3166-1 alpha-2' })
  country?: string;

  @ApiPropertyOptional({ example: 'Île-de-France' })
  region?: string;

  @ApiPropertyOptional({ example: 'Paris' })
  city?: string;

  @ApiPropertyOptional({ example: 'Europe/Paris' })
  timezone?: string;
}

/** A login, and the session that it opened. */
export class LoginHistoryDto {
  @ApiObjectId()
  _id: string;

  @ApiProperty({ example: '203.0.113.7' })
  ip: string;

  @ApiDateTime()
  login_at: string;

  @ApiDateTime({
    example: '2026-02-07T09:30:00.000Z',
    description: 'When the session is over, unless its tokens are refreshed before; if that is past, it is over',
  })
  expires_at: string;

  @ApiProperty({ type: DeviceDto, nullable: true })
  devices: DeviceDto | null;

  @ApiProperty({
    type: LocationDto,
    nullable: true,
    description:
      'Estimated from the IP address; null for private and unknown addresses. Whoever shows it says “IP geolocation by DB-IP” ' +
      'with a link to https://db-ip.com, unless the operator uses other data (`GEOIP_DB`)',
  })
  locations: LocationDto | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  })
  user_agent: string | null;

  @ApiProperty({ example: true, description: 'The session of this very request' })
  current: boolean;
}

export function toLoginHistoryDto(entry: LoginHistory, expiresAt: Date, currentSessionId: string): LoginHistoryDto {
  return {
    _id: entry._id.toHexString(),
    ip: entry.ip,
    login_at: entry.login_at.toISOString(),
    expires_at: expiresAt.toISOString(),
    devices: entry.devices ?? null,
    locations: entry.locations ?? null,
    user_agent: entry.user_agent ?? null,
    current: entry._id.toHexString() === currentSessionId,
  };
}

export class LoginStatisticsDto {
  @ApiProperty({ type: 'integer', minimum: 0, example: 12 })
  total_logins: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 3 })
  unique_ips: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    example: 2,
    description: 'Pairs of browser, or other program, and operating system',
  })
  unique_devices: number;

  @ApiDateTime({ isNullable: true, description: 'The latest login in the history; null if there is none' })
  last_login: string | null;
}

export class UserSessionParamDto extends IdParamDto {
  @IsObjectId({ description: 'The `_id` of an entry of its login history' })
  session: string;
}

export class EndedSessionsDto {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    example: 3,
    description: 'How many were ended, without those that had run out',
  })
  ended: number;
}
