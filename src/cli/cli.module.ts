import { type DynamicModule, Module } from '@nestjs/common';
import { InfrastructureModule, type Runtime } from '../infrastructure/index.js';
import { LoginHistoryModule } from '../login-history/index.js';
import { MailStoreModule } from '../mail/index.js';
import { SecurityModule } from '../security/index.js';
import { UsersModule } from '../users/index.js';

/** The part of the service that operators' commands need: its modules without flows, HTTP server and mail worker. */
@Module({})
export class CliModule {
  static forRoot(runtime: Runtime): DynamicModule {
    return {
      module: CliModule,
      imports: [
        InfrastructureModule.forRoot(runtime),
        SecurityModule,
        MailStoreModule,
        UsersModule,
        LoginHistoryModule,
      ],
    };
  }
}
