import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, Types } from 'mongoose';
import { Clock } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import { duplicateKeyField } from '../../infrastructure/database/index.js';
import { type AccountAccess, AccountReader } from '../../security/index.js';
import { type Account, toAccount, toAccountAccess } from './account.js';
import { Auth } from './auth.schema.js';
import { User } from './user.schema.js';

const UNCONFIRMED_LIFETIME_MS = 86_400_000;

export interface NewAccount {
  lastName: string;
  firstName: string;
  username: string;
  email: string;
  passwordHash: string;
}

/** Usernames and addresses are ASCII, so that lower case is one thing in every locale. */
function keyOf(text: string): string {
  return text.toLowerCase();
}

/** Reads and writes the two documents of an account. Fulfils the guards' port AccountReader. */
@Injectable()
export class AccountsRepository extends AccountReader {
  constructor(
    @InjectModel(User.name) private readonly users: Model<User>,
    @InjectModel(Auth.name) private readonly auths: Model<Auth>,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** @param login a username or an e-mail address; usernames cannot contain an @ */
  async findByLogin(login: string): Promise<Account | null> {
    return login.includes('@') ? this.findByEmail(login) : this.findWhere({ username_key: keyOf(login) });
  }

  async findByEmail(email: string): Promise<Account | null> {
    return this.findWhere({ email_key: keyOf(email) });
  }

  async findById(userId: string): Promise<Account | null> {
    return this.findWhere({ _id: userId });
  }

  override async readAccess(userId: string): Promise<AccountAccess | null> {
    const account = await this.findById(userId);
    return account && toAccountAccess(account);
  }

  /**
   * Inserts both documents; to be run in a transaction. The unique indexes decide, not a look-up before.
   * @throws ApiError `validation_failed` naming the field that is taken
   */
  async create(account: NewAccount): Promise<Account> {
    const now = this.clock.now();
    const unconfirmed_until = new Date(now.getTime() + UNCONFIRMED_LIFETIME_MS);
    try {
      const user = new this.users({
        last_name: account.lastName,
        first_name: account.firstName,
        username: account.username,
        username_key: keyOf(account.username),
        email: account.email,
        email_key: keyOf(account.email),
        password: account.passwordHash,
        created_at: now,
        updated_at: now,
        unconfirmed_until,
      });
      await user.save();
      const auth = new this.auths({ user: user._id, unconfirmed_until });
      await auth.save();
      return toAccount(user, auth);
    } catch (error) {
      const field = duplicateKeyField(error);
      if (!field) throw error;
      const name = field === 'email_key' ? 'email' : 'username';
      throw ApiError.invalidField(name, `${name} is already taken`);
    }
  }

  /** Removes an account whose address was never confirmed; one that was confirmed meanwhile stays. */
  async deleteUnconfirmed(userId: string): Promise<void> {
    const _id = new Types.ObjectId(userId);
    const auth = await this.auths.deleteOne({ user: _id, confirmed_at: null });
    if (auth.deletedCount === 1) await this.users.deleteOne({ _id });
  }

  /** @returns false when the account is gone or was confirmed already */
  async confirmEmail(userId: string): Promise<boolean> {
    const _id = new Types.ObjectId(userId);
    const now = this.clock.now();
    const confirmed = await this.auths.updateOne(
      { user: _id, confirmed_at: null },
      { $set: { confirmed_at: now }, $unset: { unconfirmed_until: 1 } },
    );
    if (confirmed.modifiedCount === 0) return false;
    const kept = await this.users.updateOne({ _id }, { $set: { updated_at: now }, $unset: { unconfirmed_until: 1 } });
    return kept.matchedCount === 1;
  }

  /** Stores a new password. @returns the new credential version, which ends every session of an older one */
  async replacePassword(userId: string, passwordHash: string): Promise<number> {
    const _id = new Types.ObjectId(userId);
    await this.users.updateOne({ _id }, { $set: { password: passwordHash, updated_at: this.clock.now() } });
    return this.raiseCredentialVersion(userId, { password_reset_required: false });
  }

  /** From now on the password logs nobody in. @returns the new credential version */
  async requirePasswordReset(userId: string): Promise<number> {
    return this.raiseCredentialVersion(userId, { password_reset_required: true });
  }

  async setRole(userId: string, role: string | null): Promise<void> {
    await this.auths.updateOne({ user: new Types.ObjectId(userId) }, { $set: { role } });
  }

  private async raiseCredentialVersion(userId: string, change: { password_reset_required: boolean }): Promise<number> {
    const auth = await this.auths.findOneAndUpdate(
      { user: new Types.ObjectId(userId) },
      { $set: change, $inc: { credential_version: 1 } },
      { returnDocument: 'after' },
    );
    if (!auth) throw new ApiError('session_revoked');
    return auth.credential_version;
  }

  private async findWhere(
    filter: { _id: string } | { email_key: string } | { username_key: string },
  ): Promise<Account | null> {
    const user = await this.users.findOne(filter).lean<User>();
    if (!user) return null;
    const auth = await this.auths.findOne({ user: user._id }).lean<Auth>();
    return auth && toAccount(user, auth);
  }
}
