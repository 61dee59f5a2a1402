var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var CliModule_1;
import { Module } from '@nestjs/common';
import { InfrastructureModule } from './infrastructure/index.js';
import { LoginHistoryModule } from './login-history/index.js';
import { MailStoreModule } from './mail/index.js';
import { SecurityModule } from './security/index.js';
import { UsersModule } from './users/index.js';
/** What an operator's commands need of the service: its rooms without its flows, its HTTP server and its mail worker. */
let CliModule = CliModule_1 = class CliModule {
    static forRoot(runtime) {
        return {
            module: CliModule_1,
            imports: [
                InfrastructureModule.forRoot(runtime),
                SecurityModule,
                MailStoreModule,
                UsersModule,
                LoginHistoryModule,
            ],
        };
    }
};
CliModule = CliModule_1 = __decorate([
    Module({})
], CliModule);
export { CliModule };
//# sourceMappingURL=cli.module.js.map