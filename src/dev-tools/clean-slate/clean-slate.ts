import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import type { OnCleanSlate } from '../../common/clean-slate/index.js';
import { ApiError } from '../../common/errors/index.js';
import { RedisUnavailableError } from '../../infrastructure/redis/index.js';
import { TimeTravel } from '../clock/time-travel.js';
import { Faults } from '../faults/faults.js';

/** Empties all stores and caches of the running service. */
@Injectable()
export class CleanSlate {
  constructor(
    @InjectConnection() private readonly connection: Connection,
    private readonly providers: DiscoveryService,
    private readonly faults: Faults,
    private readonly time: TimeTravel,
  ) {}

  /** @throws ApiError `service_unavailable` if a store does not answer; then some data may be left */
  async make(): Promise<void> {
    this.faults.clear();
    await this.time.to(() => 0);
    try {
      // Twice: what was still being stored the first time is there the second time.
      await this.emptyCollections();
      await Promise.all(this.hooks().map((provider) => provider.onCleanSlate()));
      await this.emptyCollections();
    } catch (error) {
      if (!(error instanceof RedisUnavailableError)) throw error;
      throw new ApiError('service_unavailable', { retryAfterSeconds: 2, cause: error });
    }
  }

  private async emptyCollections(): Promise<void> {
    await Promise.all(Object.values(this.connection.models).map((model) => model.deleteMany({})));
  }

  /** The hooks of every module, including those that extend the service. What is made anew for each request remembers nothing. */
  private hooks(): OnCleanSlate[] {
    const lasting = this.providers.getProviders().filter((provider) => provider.isDependencyTreeStatic());
    const instances = lasting.map(({ instance }) => instance as Partial<OnCleanSlate> | null);
    return [...new Set(instances)].filter((instance): instance is OnCleanSlate => Boolean(instance?.onCleanSlate));
  }
}
