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
   * Puts another digest in the place of the present one, which stays good until a given time. One update: of any number
   * of rotations at once none is lost half-way. Only one digest is kept beside the present one, so a rotation with an
   * overlap waits for the end of the one before: it would cut short what that one promised.
   * @returns null when there is no such key, or its overlap is in the way
   */
  async rotate(id: string, digest: string, rotatedAt: Date, previousUntil: Date): Promise<ApiKey | null> {
    const free = { $or: [{ previous_until: null }, { previous_until: { $lte: rotatedAt } }] };
    return this.model
      .findOneAndUpdate(
        { _id: new Types.ObjectId(id), ...(previousUntil > rotatedAt ? free : {}) },
        [{ $set: { previous_digest: '$digest', previous_until: previousUntil, digest, rotated_at: rotatedAt } }],
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
