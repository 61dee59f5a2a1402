import { isIP } from 'node:net';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../common/access/index.js';
import { ApiError } from '../common/errors/index.js';
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
    @Req() { hostname }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    if (!isOwnName(hostname)) throw new ApiError('not_found');
    if (to !== undefined)
      return successBody('resource', 200, 'Mails', (await this.inbox.list(to, SHOWN)).map(toInboxMailDto));
    const mails = await this.inbox.list(address || null, SHOWN);
    reply.type('text/html; charset=utf-8');
    return this.page.render(mails, address || null, await this.inbox.count());
  }
}

/** A name that somebody else's DNS points here would make their page the inbox's own origin, and able to read it. */
function isOwnName(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0;
}
