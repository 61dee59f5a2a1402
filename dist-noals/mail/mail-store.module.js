var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { MailsRepository } from './outbox/mails.repository.js';
import { StoredMail, StoredMailSchema } from './outbox/stored-mail.schema.js';
/** Owns the stored mails, without the worker that sends them: for tools. Exports MailsRepository. */
let MailStoreModule = class MailStoreModule {
};
MailStoreModule = __decorate([
    Module({
        imports: [MongooseModule.forFeature([{ name: StoredMail.name, schema: StoredMailSchema }])],
        providers: [MailsRepository],
        exports: [MailsRepository],
    })
], MailStoreModule);
export { MailStoreModule };
//# sourceMappingURL=mail-store.module.js.map