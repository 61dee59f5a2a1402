import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Model, type QueryFilter, Types } from 'mongoose';
import type { Role } from '../../common/access/index.js';
import { Clock } from '../../common/clock/index.js';
import type { Page, PageQueryDto } from '../../common/pagination/index.js';
import { findPage, findPageOf, startsWith, Transactions } from '../../infrastructure/database/index.js';
import { type AccountAccess, AccountReader } from '../../security/index.js';
import {
  type Account,
  type ListedAccount,
  type NewAccount,
  NOBODY,
  type ProfileChange,
  statusOf,
  toAccount,
  toAccountAccess,
} from './account.js';
import { Auth } from './auth.schema.js';
import { takenField } from './taken-names.js';
import { User, type UserStatus } from './user.schema.js';

const UNCONFIRMED_LIFETIME_MS = 86_400_000;
/** With the field that the schema leaves out of what is read. */
const HASH = '+password';

/** What administrators decide about an account. */
export type Standing = Pick<Account, 'role' | 'disabledAt' | 'deletedAt'>;

export interface AccountQuery extends PageQueryDto {
  search?: string;
  status?: UserStatus;
  role?: Role;
}

/** Usernames and addresses are ASCII, so lower case does not depend on a locale. */
function keyOf(text: string): string {
  return text.toLowerCase();
}

/** Reads and writes the two documents of an account. Implements the guards' port AccountReader. */
@Injectable()
export class AccountsRepository extends AccountReader {
  constructor(
    @InjectModel(User.name) private readonly users: Model<User>,
    @InjectModel(Auth.name) private readonly auths: Model<Auth>,
    private readonly transactions: Transactions,
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
    const readUser = () => this.users.findById(userId, HASH).lean<User>();
    const readAuth = () => this.auths.findOne({ user: new Types.ObjectId(userId) }).lean<Auth>();
    // A transaction cannot run commands in parallel.
    const [user, auth] = this.transactions.isRunning
      ? [await readUser(), await readAuth()]
      : await Promise.all([readUser(), readAuth()]);
    return user && auth && toAccount(user, auth);
  }

  /** In no certain order; an account that does not exist is left out. */
  async findMany(userIds: string[]): Promise<ListedAccount[]> {
    return this.complete(await this.users.find({ _id: { $in: userIds } }).lean<User[]>());
  }

  override async readAccess(userId: string): Promise<AccountAccess | null> {
    const account = await this.findById(userId);
    return account && toAccountAccess(account);
  }

  override async lockAccess(userId: string): Promise<AccountAccess | null> {
    const account = await this.lock(userId);
    return account && toAccountAccess(account);
  }

  /**
   * Inserts both documents; to be used within a transaction. Unique indexes decide about duplicates, not a look-up before.
   * @throws ApiError `validation_failed` with the field that is taken
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
        status: 'pending',
        unconfirmed_until,
      });
      await user.save();
      const auth = new this.auths({ user: user._id, unconfirmed_until });
      await auth.save();
      return toAccount(user, auth);
    } catch (error) {
      throw takenField(error) ?? error;
    }
  }

  /** @throws ApiError `validation_failed` if the username is taken */
  async changeProfile(userId: string, { firstName, lastName, username }: ProfileChange): Promise<Account | null> {
    const names = {
      ...(firstName === undefined ? {} : { first_name: firstName }),
      ...(lastName === undefined ? {} : { last_name: lastName }),
      ...(username === undefined ? {} : { username, username_key: keyOf(username) }),
    };
    if (Object.keys(names).length === 0) return this.findById(userId);
    const change = { ...names, updated_at: this.clock.now() };
    const _id = new Types.ObjectId(userId);
    try {
      const user = await this.users
        .findOneAndUpdate({ _id }, { $set: change }, { returnDocument: 'after', projection: HASH })
        .lean<User>();
      const auth = user && (await this.auths.findOne({ user: _id }).lean<Auth>());
      return user && auth && toAccount(user, auth);
    } catch (error) {
      throw takenField(error) ?? error;
    }
  }

  /**
   * Accounts, newest first. A search yields alphabetical order, in which matches are found without reading all accounts: first
   * those whose username matches, then those of whom only the address does.
   *
   * In the query, `search` is the beginning of a username or an address, taken literally. Those of a role are read all: it is for
   * roles that few have.
   */
  async list(query: AccountQuery): Promise<Page<ListedAccount>> {
    const { search, status, role } = query;
    const filter = {
      ...(status ? { status } : {}),
      ...(role ? { _id: { $in: await this.auths.distinct('user', { role }) } } : {}),
    };
    const beginning = search && startsWith(keyOf(search));
    const { content: users, pagination } = beginning
      ? await findPageOf(
          [
            { model: this.users, filter: { ...filter, username_key: beginning }, sort: { username_key: 1 } },
            {
              model: this.users,
              filter: { ...filter, email_key: beginning, username_key: { $not: beginning } },
              sort: { email_key: 1 },
            },
          ],
          query,
        )
      : await findPage(this.users, filter, { created_at: -1, _id: -1 }, query);
    return { content: await this.complete(users), pagination };
  }

  /**
   * Reads the account, and lets others that lock or change its credential run only after the transaction. (A mere read would not
   * keep them apart: snapshots do not see each other's writes.)
   */
  async lock(userId: string): Promise<Account | null> {
    const user = new Types.ObjectId(userId);
    const auth = await this.auths
      .findOneAndUpdate({ user }, { $set: { lock: new Types.ObjectId() } }, { returnDocument: 'after' })
      .lean<Auth>();
    // In any case: the number of commands does not tell whether there is such an account.
    const found = await this.users.findById(user, HASH).lean<User>();
    return found && auth && toAccount(found, auth);
  }

  /**
   * Stores what an administrator decides about an account that the transaction has locked. If it becomes inactive, or is not any
   * more, the credential version is incremented, so that earlier sessions stay invalid.
   * @returns the account as it is then
   */
  async changeStanding(account: Account, change: Partial<Standing>): Promise<Account> {
    const changed = { ...account, ...change, updatedAt: this.clock.now() };
    const { role, disabledAt, deletedAt, updatedAt } = changed;
    // Otherwise the status stays, which may be one that only a newer release knows.
    if (disabledAt !== account.disabledAt || deletedAt !== account.deletedAt) {
      changed.status = statusOf(changed);
      changed.credentialVersion += 1;
    }
    // The TTL index removes what is not confirmed in time, but nothing that an administrator has stopped.
    const lifetime =
      changed.status === 'pending'
        ? { $set: { unconfirmed_until: new Date(updatedAt.getTime() + UNCONFIRMED_LIFETIME_MS) } }
        : { $unset: { unconfirmed_until: 1 as const } };
    const ofAuth = { role, disabled_at: disabledAt, credential_version: changed.credentialVersion };
    const ofUser = { deleted_at: deletedAt, status: changed.status, updated_at: updatedAt };
    const _id = new Types.ObjectId(account.userId);
    await this.auths.updateOne({ user: _id }, { ...lifetime, $set: { ...lifetime.$set, ...ofAuth } });
    await this.users.updateOne({ _id }, { ...lifetime, $set: { ...lifetime.$set, ...ofUser } });
    return changed;
  }

  /** Removes a deleted account permanently. @returns false if it is not deleted, e.g. because it was restored meanwhile */
  async erase(userId: string): Promise<boolean> {
    const _id = new Types.ObjectId(userId);
    const { deletedCount } = await this.users.deleteOne({ _id, deleted_at: { $ne: null } });
    if (deletedCount === 1) await this.auths.deleteOne({ user: _id });
    return deletedCount === 1;
  }

  /** Removes an account whose address was never confirmed; one that was confirmed meanwhile stays. */
  async deleteUnconfirmed(userId: string): Promise<void> {
    const _id = new Types.ObjectId(userId);
    const auth = await this.auths.deleteOne({ user: _id, confirmed_at: null });
    if (auth.deletedCount === 1) await this.users.deleteOne({ _id });
  }

  /** @returns false if the account is gone, disabled or deleted, or was confirmed already */
  async confirmEmail(userId: string): Promise<boolean> {
    const _id = new Types.ObjectId(userId);
    const now = this.clock.now();
    const confirmed = await this.auths.updateOne(
      { user: _id, confirmed_at: null, disabled_at: null },
      { $set: { confirmed_at: now }, $unset: { unconfirmed_until: 1 } },
    );
    if (confirmed.modifiedCount === 0) return false;
    const kept = await this.users.updateOne(
      { _id, deleted_at: null },
      { $set: { updated_at: now, status: 'active' }, $unset: { unconfirmed_until: 1 } },
    );
    return kept.matchedCount === 1;
  }

  /**
   * Stores another password for somebody who knows the current one: of any number who do so at the same time, one succeeds.
   * @param currentHash the hash that must still be stored
   * @returns the new credential version; sessions of older versions are invalid. null if another password is stored, or no active
   *   account
   */
  async changePasswordIfCurrent(userId: string, passwordHash: string, currentHash: string): Promise<number | null> {
    return this.replacePassword({ _id: new Types.ObjectId(userId), password: currentHash }, passwordHash, 0);
  }

  /** As {@link changePasswordIfCurrent}, for somebody who has a mailed token instead. null only if there is no active account. */
  async resetPassword(userId: string, passwordHash: string): Promise<number | null> {
    return this.replacePassword({ _id: new Types.ObjectId(userId) }, passwordHash, 1);
  }

  /** Makes the password unusable until it is reset. @returns the new credential version; null if there is no such account */
  async requirePasswordReset(userId: string): Promise<number | null> {
    const filter = { user: new Types.ObjectId(userId) };
    return this.raiseCredentialVersion(filter, { $set: { password_reset_required: true }, $inc: { recoveries: 1 } });
  }

  private async replacePassword(
    filter: { _id: Types.ObjectId; password?: string },
    passwordHash: string,
    recoveries: 0 | 1,
  ): Promise<number | null> {
    // First: whoever locks the account and commits in between would make the transaction begin again.
    await this.lock(filter._id.toHexString());
    const changed = { password: passwordHash, updated_at: this.clock.now() };
    const active = { ...filter, status: { $ne: 'inactive' as const } };
    const { matchedCount } = await this.users.updateOne(active, { $set: changed });
    const usable = { $set: { password_reset_required: false }, $inc: { recoveries } };
    return matchedCount === 0 ? null : this.raiseCredentialVersion({ user: filter._id }, usable);
  }

  private async raiseCredentialVersion(
    filter: QueryFilter<Auth>,
    { $set, $inc }: { $set: { password_reset_required: boolean }; $inc: { recoveries: number } },
  ): Promise<number | null> {
    const auth = await this.auths.findOneAndUpdate(
      filter,
      { $set, $inc: { ...$inc, credential_version: 1 } },
      { returnDocument: 'after' },
    );
    return auth?.credential_version ?? null;
  }

  private async complete(users: User[]): Promise<ListedAccount[]> {
    const auths = await this.auths.find({ user: { $in: users.map(({ _id }) => _id) } }).lean<Auth[]>();
    const authOf = new Map(auths.map((auth) => [auth.user.toHexString(), auth]));
    return users.flatMap((user) => {
      const auth = authOf.get(user._id.toHexString());
      return auth ? [toAccount(user, auth)] : [];
    });
  }

  private async findWhere(filter: { email_key: string } | { username_key: string }): Promise<Account | null> {
    const user = await this.users.findOne(filter, HASH).lean<User>();
    const auth = await this.auths.findOne({ user: user?._id ?? new Types.ObjectId(NOBODY) }).lean<Auth>();
    return user && auth && toAccount(user, auth);
  }
}
