var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AccountReader } from '../security/index.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { Auth, AuthSchema } from './accounts/auth.schema.js';
import { User, UserSchema } from './accounts/user.schema.js';
import { AccountAnnouncements } from './administration/account-announcements.js';
import { UsersAdministrationController } from './administration/users-administration.controller.js';
import { UsersAdministrationService } from './administration/users-administration.service.js';
import { ProfileController } from './profile/profile.controller.js';
/**
 * Owns the account record: who a person is, the password's hash, role and state; profile and administration. Exports
 * AccountsRepository and AccountAnnouncements (an account was disabled or deleted), and provides the guards' port AccountReader; global for the sake of that port, which `security` cannot import.
 */
let UsersModule = class UsersModule {
};
UsersModule = __decorate([
    Global(),
    Module({
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
        ],
        exports: [AccountsRepository, AccountReader, AccountAnnouncements],
    })
], UsersModule);
export { UsersModule };
//# sourceMappingURL=users.module.js.map