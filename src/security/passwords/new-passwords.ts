import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { PasswordBlocklist } from './password-blocklist.js';
import { PasswordHasher } from './password-hasher.js';

export interface PasswordContext {
  /** What an attacker tries first for this account: the e-mail address, the username. */
  ownWords: string[];
  /** The hash of a password that must not be chosen again. */
  refusedHash?: string;
}

/** Accepts a chosen password, beyond what its shape says, and turns it into what is stored. */
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
