import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';

/** All or nothing over several documents. */
@Injectable()
export class Transactions {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /**
   * Runs the work in one transaction: every model call in it joins by itself. After a write conflict the work runs
   * again from the start, so it must do nothing outside the database.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    return this.connection.transaction(work) as Promise<T>;
  }
}
