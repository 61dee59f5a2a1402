import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { MongooseModule } from '@nestjs/mongoose';
import { Clock } from '../common/clock/index.js';
import { MailDrill, MailInbox, MailStoreModule } from '../mail/index.js';
import { LimitNamespaces } from '../security/index.js';
import { CleanSlateController } from './clean-slate/clean-slate.controller.js';
import { CleanSlate } from './clean-slate/clean-slate.js';
import { ClockController } from './clock/clock.controller.js';
import { DateHeader } from './clock/date-header.js';
import { MovableClock } from './clock/movable-clock.js';
import { TimeTravel } from './clock/time-travel.js';
import { FaultsController } from './faults/faults.controller.js';
import { Faults } from './faults/faults.js';
import { DevelopmentInbox } from './inbox/development-inbox.js';
import { InboxMail, InboxMailSchema } from './inbox/inbox-mail.schema.js';
import { InboxPage } from './inbox/inbox-page.js';
import { InboxController } from './inbox/inbox.controller.js';
import { RequestLimitNamespaces } from './limits/request-limit-namespaces.js';
import { ListingController } from './listing/listing.controller.js';
import { RolesController } from './roles/roles.controller.js';

/**
 * Owns the test kit under `/dev`, which must not exist in production, where this module is not even loaded: inbox,
 * clock, faults, roles, namespaces of limits, clean slate. Provides the ports MailInbox and MailDrill of `mail` and LimitNamespaces
 * of `security`; global for the sake of them. docs/testing.md is its manual.
 */
@Global()
@Module({
  imports: [
    DiscoveryModule,
    MailStoreModule,
    MongooseModule.forFeature([{ name: InboxMail.name, schema: InboxMailSchema }]),
  ],
  controllers: [
    ListingController,
    InboxController,
    ClockController,
    FaultsController,
    RolesController,
    CleanSlateController,
  ],
  providers: [
    DevelopmentInbox,
    InboxPage,
    // createApp() provides a MovableClock in development.
    { provide: MovableClock, useExisting: Clock },
    TimeTravel,
    DateHeader,
    Faults,
    CleanSlate,
    { provide: MailInbox, useExisting: DevelopmentInbox },
    { provide: MailDrill, useExisting: Faults },
    { provide: LimitNamespaces, useClass: RequestLimitNamespaces },
  ],
  exports: [MailInbox, MailDrill, LimitNamespaces],
})
export class DevToolsModule {}
