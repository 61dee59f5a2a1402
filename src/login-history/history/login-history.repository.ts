import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, Types } from 'mongoose';
import type { Page, PageQueryDto } from '../../common/pagination/index.js';
import { findPage } from '../../infrastructure/database/index.js';
import { LoginHistory } from '../sessions/login-history.schema.js';
import type { LoginStatisticsDto } from './login-history.dto.js';

/** The browser, or what another program calls itself, without its version (RFC 9110 section 10.1.5). */
const PROGRAM = { $ifNull: ['$devices.browser.name', { $arrayElemAt: [{ $split: ['$user_agent', '/'] }, 0] }] };

/** Reads the login history; SessionsRepository writes it. */
@Injectable()
export class LoginHistoryRepository {
  constructor(@InjectModel(LoginHistory.name) private readonly entries: Model<LoginHistory>) {}

  /** Newest first. */
  async list(userId: string, query: PageQueryDto): Promise<Page<LoginHistory>> {
    return findPage(this.entries, { user: new Types.ObjectId(userId) }, { login_at: -1, _id: -1 }, query);
  }

  async belongsTo(sessionId: string, userId: string): Promise<boolean> {
    const filter = { _id: new Types.ObjectId(sessionId), user: new Types.ObjectId(userId) };
    return (await this.entries.exists(filter)) !== null;
  }

  async statistics(userId: string): Promise<LoginStatisticsDto> {
    const user = new Types.ObjectId(userId);
    const [counted] = await this.entries.aggregate<{ total: number; ips: unknown[]; devices: unknown[]; last: Date }>([
      { $match: { user } },
      {
        $group: {
          _id: null,
          total: { $sum: 1 },
          ips: { $addToSet: '$ip' },
          devices: { $addToSet: { program: PROGRAM, os: '$devices.os.name' } },
          last: { $max: '$login_at' },
        },
      },
    ]);
    return {
      total_logins: counted?.total ?? 0,
      unique_ips: counted?.ips.length ?? 0,
      unique_devices: counted?.devices.length ?? 0,
      last_login: counted?.last.toISOString() ?? null,
    };
  }
}
