import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, Types } from 'mongoose';
import type { Page } from '../../common/pagination/index.js';
import { findPage } from '../../infrastructure/database/index.js';
import { SecurityEvent } from './security-event.schema.js';
import type { SecurityEventsQueryDto } from './security-events.dto.js';

export type SecurityEventEntry = Omit<SecurityEvent, '_id'>;

@Injectable()
export class SecurityEventsRepository {
  constructor(@InjectModel(SecurityEvent.name) private readonly model: Model<SecurityEvent>) {}

  async insert(entries: SecurityEventEntry[]): Promise<void> {
    await this.model.insertMany(entries, { ordered: false });
  }

  /** Newest first. */
  async list(query: SecurityEventsQueryDto): Promise<Page<SecurityEvent>> {
    const { user, kind, by, since, until } = query;
    const at = { ...(since ? { $gte: new Date(since) } : {}), ...(until ? { $lt: new Date(until) } : {}) };
    const filter = {
      ...(user ? { user: new Types.ObjectId(user) } : {}),
      ...(kind ? { kind } : {}),
      ...(by ? { by: new Types.ObjectId(by) } : {}),
      ...(since || until ? { at } : {}),
    };
    return findPage(this.model, filter, { at: -1, _id: -1 }, query);
  }
}
