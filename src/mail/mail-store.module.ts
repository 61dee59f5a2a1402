import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { MailsRepository } from './outbox/mails.repository.js';
import { StoredMail, StoredMailSchema } from './outbox/stored-mail.schema.js';

/** Owns the stored mails without the worker that sends them, for the command line. Exports MailsRepository. */
@Module({
  imports: [MongooseModule.forFeature([{ name: StoredMail.name, schema: StoredMailSchema }])],
  providers: [MailsRepository],
  exports: [MailsRepository],
})
export class MailStoreModule {}
