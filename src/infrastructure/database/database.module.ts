import { Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { getConnectionToken, MongooseModule } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { Config } from '../config/index.js';
import { DatabaseServer, mongooseOptions } from './database-connection.js';
import { SchemaSetup } from './schema-setup.js';
import { Transactions } from './transactions.js';

@Injectable()
class DatabaseShutdown implements OnApplicationShutdown {
  constructor(
    private readonly server: DatabaseServer,
    private readonly modules: ModuleRef,
  ) {}

  /** The connection is looked up late and not injected, since the module that makes it imports this one. */
  async onApplicationShutdown(): Promise<void> {
    await this.server.close(this.modules.get<Connection>(getConnectionToken(), { strict: false }));
  }
}

/** A module of its own, because Mongoose's module imports it for the address. */
@Module({
  providers: [
    { provide: DatabaseServer, inject: [Config], useFactory: (config: Config) => DatabaseServer.open(config) },
    DatabaseShutdown,
  ],
  exports: [DatabaseServer],
})
class DatabaseServerModule {}

/**
 * Owns the Mongoose connection, to `MONGODB_URI` or to the embedded store which it starts. Exports {@link Transactions}
 * and {@link DatabaseServer}; features register their own models with `MongooseModule.forFeature`.
 */
@Module({
  imports: [
    MongooseModule.forRootAsync({
      imports: [DatabaseServerModule],
      inject: [DatabaseServer],
      useFactory: mongooseOptions,
    }),
    DatabaseServerModule,
  ],
  providers: [Transactions, SchemaSetup],
  exports: [Transactions, DatabaseServerModule],
})
export class DatabaseModule {}
