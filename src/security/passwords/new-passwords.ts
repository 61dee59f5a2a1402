import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { PasswordBlocklist } from './password-blocklist.js';
import { PasswordHasher } from './password-hasher.js';

export interface PasswordContext {
  /** Words of the account itself, which an attacker tries first: e-mail address, username. */
  ownWords: string[];
  /** The hash of a password that must not be chosen again. */
  refusedHash?: string;
}

/** Checks a new password beyond its form, and hashes it. */
@Injectable()
export class NewPasswords {
  constructor(
    private readonly blocklist: PasswordBlocklist,
    private readonly hasher: PasswordHasher,
  ) {}

  /**
   * @returns the hash
   * @throws ApiError `validation_failed` for the field `password`
   */
  async hash(password: string, { ownWords, refusedHash }: PasswordContext): Promise<string> {
    this.blocklist.assertAllowed(password, ownWords);
    if (refusedHash !== undefined && (await this.hasher.verify(password, refusedHash))) {
      throw ApiError.invalidField('password', 'password must differ from the previous one');
    }
    return this.hasher.hash(password);
  }
}
