import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AdminOnly } from '../../common/access/index.js';
import { Operation } from '../../common/openapi/index.js';
import type { Page } from '../../common/pagination/index.js';
import { SecurityEventDto, SecurityEventsQueryDto, toSecurityEventDto } from './security-events.dto.js';
import { SecurityEventsRepository } from './security-events.repository.js';

@ApiTags('Administration')
@Controller('api/security-events')
export class SecurityEventsController {
  constructor(private readonly events: SecurityEventsRepository) {}

  @Get()
  @AdminOnly()
  @Operation({
    summary: 'Read the record of security events',
    description:
      'Logins and refusals, resets, lockdowns, reused tokens, changes of accounts, roles and keys: newest first, kept for 90 days. Changes of accounts, passwords and keys are listed once they are answered, logins, logouts and refusals a moment later (a third of a second). To follow them, ask for those `since` a minute before the newest, and leave out those you have had, by `_id`.',
    message: 'Security events',
    page: SecurityEventDto,
  })
  async listSecurityEvents(@Query() query: SecurityEventsQueryDto): Promise<Page<SecurityEventDto>> {
    const { content, pagination } = await this.events.list(query);
    return { content: content.map(toSecurityEventDto), pagination };
  }
}
