import { Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { Config } from '../config/index.js';
import { DatabaseServer, mongooseOptions } from './database-connection.js';
import { SchemaSetup } from './schema-setup.js';
import { Transactions } from './transactions.js';

@Injectable()
class DatabaseShutdown implements OnApplicationShutdown {
  constructor(private readonly server: DatabaseServer) {}

  async onApplicationShutdown(): Promise<void> {
    await this.server.close();
  }
}

/** In a module of its own, below Mongoose's: modules shut down in reverse, so connections close before the store. */
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
