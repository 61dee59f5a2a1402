import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { MailInbox } from '../mail/index.js';
import { DevelopmentInbox } from './development-inbox.js';
import { InboxMail, InboxMailSchema } from './inbox-mail.schema.js';
import { InboxPage } from './inbox-page.js';
import { InboxController } from './inbox.controller.js';

/**
 * Owns what helps while developing and must not exist in production, where this module is not even loaded: the
 * inbox under `/dev`. Provides the mail room's port MailInbox; global for the sake of that port.
 */
@Global()
@Module({
  imports: [MongooseModule.forFeature([{ name: InboxMail.name, schema: InboxMailSchema }])],
  controllers: [InboxController],
  providers: [DevelopmentInbox, { provide: MailInbox, useExisting: DevelopmentInbox }, InboxPage],
  exports: [MailInbox],
})
export class DevToolsModule {}
