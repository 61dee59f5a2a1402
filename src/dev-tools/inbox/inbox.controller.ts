import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../common/errors/index.js';
import { successBody } from '../../common/http/index.js';
import { type ListedMail, MailsRepository } from '../../mail/index.js';
import { DevRoute } from '../dev-route.decorator.js';
import { DevelopmentInbox } from './development-inbox.js';
import { InboxPage } from './inbox-page.js';
import { type InboxMailDto, InboxQueryDto, NextMailQueryDto, toInboxMailDto } from './inbox.dto.js';

const SHOWN = 50;

@ApiExcludeController()
@Controller('dev/inbox')
export class InboxController {
  constructor(
    private readonly inbox: DevelopmentInbox,
    private readonly page: InboxPage,
    private readonly mails: MailsRepository,
  ) {}

  /** JSON for programs with the parameter `to`, a page for people without it. */
  @Get()
  @DevRoute({ summary: 'The inbox as a page for people; with ?to=<address> the mails to it as JSON, newest first' })
  async getInbox(
    @Query() { to, address }: InboxQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    if (to !== undefined)
      return successBody('resource', 200, 'Mails', (await this.inbox.list(to, SHOWN)).map(toInboxMailDto));
    const mails = await this.inbox.list(address || null, SHOWN);
    reply.type('text/html; charset=utf-8');
    return this.page.render(mails, address || null, await this.inbox.count(address || null));
  }

  /** @throws ApiError `not_found` if none came in time; it says which mails are there, and which wait or never came, and why */
  @Get('next')
  @DevRoute({
    summary: 'Waits for a mail: ?to=<address>, and where wanted &kind=, &after=<cursor>, &timeout_seconds=',
    message: 'Mail',
    waits: true,
  })
  async getNextMail(
    @Query() { to, timeout_seconds, ...wanted }: NextMailQueryDto,
    @Req() { socket }: FastifyRequest,
  ): Promise<InboxMailDto> {
    const mail = await this.inbox.next({ to, ...wanted }, timeout_seconds * 1000, () => socket.destroyed);
    if (mail) return toInboxMailDto(mail);
    const there = (await this.inbox.list(to, SHOWN)).map(({ kind, cursor }) => ({ kind, cursor }));
    const waiting = unsent(await this.mails.listTo(to, SHOWN, ['waiting', 'sending']));
    const failed = unsent(await this.mails.listTo(to, SHOWN, ['failed', 'expired']));
    throw new ApiError('not_found', { data: { waited_seconds: timeout_seconds, there, waiting, failed } });
  }
}

const unsent = (mails: ListedMail[]) => mails.map(({ kind, last_error }) => ({ kind, reason: last_error }));
