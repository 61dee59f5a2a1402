import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';

/** Makes every collection and index before the port opens: uniqueness is promised from the first request on. */
@Injectable()
export class SchemaSetup implements OnApplicationBootstrap {
  private readonly logger = new Logger('Database');

  constructor(@InjectConnection() private readonly connection: Connection) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const model of Object.values(this.connection.models)) {
      await model.createCollection();
      await model.createIndexes();
    }
    this.logger.debug(`Indexes of ${Object.keys(this.connection.models).length} collections are in place`);
  }
}
