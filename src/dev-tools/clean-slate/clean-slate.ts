import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import type { OnCleanSlate } from '../../common/clean-slate/index.js';
import { ApiError } from '../../common/errors/index.js';
import { RedisUnavailableError } from '../../infrastructure/redis/index.js';
import { TimeTravel } from '../clock/time-travel.js';
import { Faults } from '../faults/faults.js';

/** Brings the running service to where it starts on empty stores. */
@Injectable()
export class CleanSlate {
  constructor(
    @InjectConnection() private readonly connection: Connection,
    private readonly providers: DiscoveryService,
    private readonly faults: Faults,
    private readonly time: TimeTravel,
  ) {}

  /** @throws ApiError `service_unavailable` when a store does not answer; what is left then is not said */
  async make(): Promise<void> {
    this.faults.clear();
    await this.time.to(0);
    try {
      // Twice: what was under way the first time has been stored by the second.
      await this.emptyCollections();
      await Promise.all(this.rememberers().map((provider) => provider.onCleanSlate()));
      await this.emptyCollections();
    } catch (error) {
      if (!(error instanceof RedisUnavailableError)) throw error;
      throw new ApiError('service_unavailable', { retryAfterSeconds: 2, cause: error });
    }
  }

  /** Of every module, also of those that extend the service. */
  private async emptyCollections(): Promise<void> {
    await Promise.all(Object.values(this.connection.models).map((model) => model.deleteMany({})));
  }

  private rememberers(): OnCleanSlate[] {
    const instances = this.providers.getProviders().map(({ instance }) => instance as Partial<OnCleanSlate> | null);
    return [...new Set(instances)].filter((instance): instance is OnCleanSlate => Boolean(instance?.onCleanSlate));
  }
}
