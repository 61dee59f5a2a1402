import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AccountReader } from '../security/index.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { Auth, AuthSchema } from './accounts/auth.schema.js';
import { User, UserSchema } from './accounts/user.schema.js';
import { AccountAnnouncements } from './accounts/account-announcements.js';
import { UsersAdministrationController } from './administration/users-administration.controller.js';
import { UsersAdministrationService } from './administration/users-administration.service.js';
import { ProfileController } from './profile/profile.controller.js';
import { ProfileService } from './profile/profile.service.js';

/**
 * Owns the account record: who a person is, the password's hash, role and state; profile and administration. Exports
 * AccountsRepository, AccountAnnouncements (what happens to an account, from registration on) and UsersAdministrationService (what is
 * decided about it), and provides the guards' port AccountReader; global for the sake of that port, which `security` cannot import.
 */
@Global()
@Module({
  imports: [
    MongooseModule.forFeature([
      { name: User.name, schema: UserSchema },
      { name: Auth.name, schema: AuthSchema },
    ]),
  ],
  controllers: [ProfileController, UsersAdministrationController],
  providers: [
    AccountsRepository,
    { provide: AccountReader, useExisting: AccountsRepository },
    AccountAnnouncements,
    UsersAdministrationService,
    ProfileService,
  ],
  exports: [AccountsRepository, AccountReader, AccountAnnouncements, UsersAdministrationService],
})
export class UsersModule {}
