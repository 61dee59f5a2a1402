import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection, Model } from 'mongoose';

const LOG_AFTER_MS = 2_000;
const WITHOUT_TIMEOUTS = { socketTimeoutMS: 0, writeConcern: { w: 'majority' } } as const;

/**
 * Creates every collection and index before the port opens, since uniqueness must hold from the first request on. An index over
 * a large collection may take minutes, and is exempt from the time-outs of other commands.
 */
@Injectable()
export class SchemaSetup implements OnApplicationBootstrap {
  private readonly logger = new Logger('Database');

  constructor(@InjectConnection() private readonly connection: Connection) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const model of Object.values(this.connection.models)) {
      await model.createCollection();
      await this.createIndexes(model);
    }
    this.logger.debug(`Indexes of ${Object.keys(this.connection.models).length} collections are in place`);
  }

  private async createIndexes(model: Model<unknown>): Promise<void> {
    // Mongoose has no option for this, but emits each index's options before it creates the index; the listener changes them.
    model.on('index-single-start', (_fields: object, options: object) => void Object.assign(options, WITHOUT_TIMEOUTS));
    const slowLogTimer = setTimeout(
      () => this.logger.log(`Making the indexes of ${model.collection.name}, which takes its time where it is large`),
      LOG_AFTER_MS,
    );
    try {
      await model.createIndexes();
    } catch (error) {
      throw new Error(`The indexes of ${model.collection.name} cannot be made: ${(error as Error).message}`, {
        cause: error,
      });
    } finally {
      clearTimeout(slowLogTimer);
    }
  }
}
