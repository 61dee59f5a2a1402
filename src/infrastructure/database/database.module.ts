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

  /** Looked up late and not injected: the connection is made by a module that needs this one. */
  async onApplicationShutdown(): Promise<void> {
    await this.server.close(this.modules.get<Connection>(getConnectionToken(), { strict: false }));
  }
}

/** In a module of its own, below Mongoose's, which asks it for the address. */
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
