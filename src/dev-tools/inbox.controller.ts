import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../common/access/index.js';
import { successBody } from '../common/http/index.js';
import { DevelopmentInbox } from './development-inbox.js';
import { InboxPage } from './inbox-page.js';
import { InboxQueryDto, toInboxMailDto } from './inbox.dto.js';

const SHOWN = 50;

@ApiExcludeController()
@Controller('dev')
export class InboxController {
  constructor(
    private readonly inbox: DevelopmentInbox,
    private readonly page: InboxPage,
  ) {}

  /** With `to` a program asks, and gets JSON; without, a person, and gets a page. */
  @Get('inbox')
  @Public({ limit: 'none' })
  async getInbox(
    @Query() { to, address }: InboxQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    if (to !== undefined)
      return successBody('resource', 200, 'Mails', (await this.inbox.list(to, SHOWN)).map(toInboxMailDto));
    const mails = await this.inbox.list(address || null, SHOWN);
    reply.type('text/html; charset=utf-8');
    return this.page.render(mails, address || null, await this.inbox.count());
  }
}
