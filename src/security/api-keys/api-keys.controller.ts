import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AdminOnly } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import { type Page, PageQueryDto } from '../../common/pagination/index.js';
import { IdParamDto } from '../../common/validation/index.js';
import { CurrentPrincipal, type Principal } from '../authentication/principal.js';
import {
  ApiKeyDto,
  IssueApiKeyDto,
  IssuedApiKeyDto,
  RotateApiKeyDto,
  toApiKeyDto,
  toIssuedApiKeyDto,
} from './api-keys.dto.js';
import { ApiKeys } from './api-keys.js';
import { ApiKeysRepository } from './api-keys.repository.js';

@ApiTags('API keys')
@Controller('api/api-keys')
export class ApiKeysController {
  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly repository: ApiKeysRepository,
  ) {}

  @Get()
  @AdminOnly()
  @Operation({
    summary: 'List API keys',
    description: 'Newest first. Keys of the service’s settings (`API_KEYS`) are not among them.',
    message: 'API keys',
    page: ApiKeyDto,
  })
  async listApiKeys(@Query() query: PageQueryDto): Promise<Page<ApiKeyDto>> {
    const { content, pagination } = await this.repository.list(query);
    return { content: content.map(toApiKeyDto), pagination };
  }

  @Post()
  @AdminOnly()
  @Operation({
    summary: 'Issue an API key',
    description: 'The key is in this answer and nowhere else: what is stored is its SHA-256.',
    message: 'API key issued',
    data: IssuedApiKeyDto,
  })
  async issueApiKey(
    @CurrentPrincipal() { userId }: Principal,
    @Body() { name, expires_at }: IssueApiKeyDto,
  ): Promise<IssuedApiKeyDto> {
    const expiresAt = expires_at ? new Date(expires_at) : null;
    return toIssuedApiKeyDto(await this.apiKeys.issue(name, { createdBy: userId, expiresAt }));
  }

  @Post(':id/rotate')
  @AdminOnly({ errors: ['not_found'] })
  @Operation({
    summary: 'Replace an API key by a new one',
    description:
      'The present key is refused at once, or after `overlap_seconds`, so that callers can change over. While an overlap is running, only a rotation without one is taken; it ends both keys. The new key expires when the present one would have, and no overlap outlasts that. A key that has expired is not replaced: revoke it and issue another one.',
    message: 'API key rotated',
    data: IssuedApiKeyDto,
  })
  async rotateApiKey(
    @Param() { id }: IdParamDto,
    @Body() { overlap_seconds: overlapSeconds = 0 }: RotateApiKeyDto,
  ): Promise<IssuedApiKeyDto> {
    return toIssuedApiKeyDto(await this.apiKeys.rotate(id, overlapSeconds * 1000));
  }

  @Delete(':id')
  @AdminOnly({ errors: ['not_found'] })
  @Operation({
    summary: 'Revoke an API key',
    description: 'It is refused at once, on every instance.',
    message: 'API key revoked',
  })
  async revokeApiKey(@Param() { id }: IdParamDto): Promise<void> {
    await this.apiKeys.revoke(id);
  }
}
