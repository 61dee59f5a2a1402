var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
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
let DevToolsModule = class DevToolsModule {
};
DevToolsModule = __decorate([
    Global(),
    Module({
        imports: [MongooseModule.forFeature([{ name: InboxMail.name, schema: InboxMailSchema }])],
        controllers: [InboxController],
        providers: [DevelopmentInbox, { provide: MailInbox, useExisting: DevelopmentInbox }, InboxPage],
        exports: [MailInbox],
    })
], DevToolsModule);
export { DevToolsModule };
//# sourceMappingURL=dev-tools.module.js.map