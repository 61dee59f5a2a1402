import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, Types } from 'mongoose';
import { ApiError } from '../../common/errors/index.js';
import type { Page, PageQueryDto } from '../../common/pagination/index.js';
import { duplicateKeyField, findPage } from '../../infrastructure/database/index.js';
import { ApiKey } from './api-key.schema.js';

export interface NewApiKey {
  id: string;
  name: string;
  digest: string;
  createdAt: Date;
  /** User id of the administrator. */
  createdBy: string | null;
  expiresAt: Date | null;
}

@Injectable()
export class ApiKeysRepository {
  constructor(@InjectModel(ApiKey.name) private readonly model: Model<ApiKey>) {}

  /** @throws ApiError `validation_failed` when the name is taken */
  async insert({ id, name, digest, createdAt, createdBy, expiresAt }: NewApiKey): Promise<ApiKey> {
    try {
      const created = await this.model.create({
        _id: new Types.ObjectId(id),
        name,
        digest,
        created_at: createdAt,
        created_by: createdBy ? new Types.ObjectId(createdBy) : null,
        expires_at: expiresAt,
      });
      return created.toObject();
    } catch (error) {
      throw duplicateKeyField(error) === 'name' ? ApiError.invalidField('name', 'name is already taken') : error;
    }
  }

  async findById(id: string): Promise<ApiKey | null> {
    return this.model.findById(id).lean<ApiKey>();
  }

  async findByName(name: string): Promise<ApiKey | null> {
    return this.model.findOne({ name }).lean<ApiKey>();
  }

  /** Newest first. */
  async list(query: PageQueryDto): Promise<Page<ApiKey>> {
    return findPage(this.model, {}, { created_at: -1, _id: -1 }, query);
  }

  /**
   * Replaces the digest; the old one stays valid until a given time. It is a single update, so that simultaneous rotations cannot
   * mix. Only one old digest is kept: a rotation with an overlap is refused while an earlier overlap is running, which it would
   * cut short. Without an overlap no old digest is kept: an instance whose clock is late would still accept it.
   * It is valid no longer than the key itself.
   * @returns null if there is no such key, an earlier overlap is still running, or the key has expired
   */
  async rotate(id: string, digest: string, rotatedAt: Date, previousUntil: Date): Promise<ApiKey | null> {
    const hasOverlap = previousUntil > rotatedAt;
    const free = { $or: [{ previous_until: null }, { previous_until: { $lte: rotatedAt } }] };
    const unexpired = { $or: [{ expires_at: null }, { expires_at: { $gt: rotatedAt } }] };
    const previous = hasOverlap
      ? { previous_digest: '$digest', previous_until: { $min: [previousUntil, '$expires_at'] } }
      : { previous_digest: null, previous_until: null };
    return this.model
      .findOneAndUpdate(
        { _id: new Types.ObjectId(id), $and: hasOverlap ? [unexpired, free] : [unexpired] },
        [{ $set: { ...previous, digest, rotated_at: rotatedAt } }],
        { returnDocument: 'after', updatePipeline: true },
      )
      .lean<ApiKey>();
  }

  async remove(id: string): Promise<ApiKey | null> {
    return this.model.findByIdAndDelete(id).lean<ApiKey>();
  }

  async recordUse(id: string, at: Date): Promise<void> {
    await this.model.updateOne({ _id: new Types.ObjectId(id) }, { $max: { last_used_at: at } });
  }
}
