var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
var __param = (this && this.__param) || function (paramIndex, decorator) {
    return function (target, key) { decorator(target, key, paramIndex); }
};
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { Clock } from '../../common/clock/index.js';
import { ApiError } from '../../common/errors/index.js';
import { duplicateKeyField, findPage, startsWith } from '../../infrastructure/database/index.js';
import { AccountReader } from '../../security/index.js';
import { toAccount, toAccountAccess } from './account.js';
import { Auth } from './auth.schema.js';
import { User } from './user.schema.js';
const UNCONFIRMED_LIFETIME_MS = 86_400_000;
/** What a unique index refused, in the words of the request. */
function takenField(error) {
    const field = duplicateKeyField(error);
    if (!field)
        return null;
    const name = field === 'email_key' ? 'email' : 'username';
    return ApiError.invalidField(name, `${name} is already taken`);
}
/** Usernames and addresses are ASCII, so that lower case is one thing in every locale. */
function keyOf(text) {
    return text.toLowerCase();
}
/** Reads and writes the two documents of an account. Fulfils the guards' port AccountReader. */
let AccountsRepository = class AccountsRepository extends AccountReader {
    users;
    auths;
    clock;
    constructor(users, auths, clock) {
        super();
        this.users = users;
        this.auths = auths;
        this.clock = clock;
    }
    /** @param login a username or an e-mail address; usernames cannot contain an @ */
    async findByLogin(login) {
        return login.includes('@') ? this.findByEmail(login) : this.findWhere({ username_key: keyOf(login) });
    }
    async findByEmail(email) {
        return this.findWhere({ email_key: keyOf(email) });
    }
    async findById(userId) {
        return this.findWhere({ _id: userId });
    }
    async readAccess(userId) {
        const account = await this.findById(userId);
        return account && toAccountAccess(account);
    }
    /**
     * Inserts both documents; to be run in a transaction. The unique indexes decide, not a look-up before.
     * @throws ApiError `validation_failed` naming the field that is taken
     */
    async create(account) {
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
        }
        catch (error) {
            throw takenField(error) ?? error;
        }
    }
    /** @throws ApiError `validation_failed` when the username is taken */
    async changeProfile(userId, { firstName, lastName, username }) {
        const change = {
            ...(firstName === undefined ? {} : { first_name: firstName }),
            ...(lastName === undefined ? {} : { last_name: lastName }),
            ...(username === undefined ? {} : { username, username_key: keyOf(username) }),
            updated_at: this.clock.now(),
        };
        try {
            await this.users.updateOne({ _id: new Types.ObjectId(userId) }, { $set: change });
        }
        catch (error) {
            throw takenField(error) ?? error;
        }
        return this.findById(userId);
    }
    /** Newest first. @param search beginning of a username or an address, taken literally */
    async list(query) {
        const { search, status } = query;
        const beginning = search ? startsWith(keyOf(search)) : null;
        const filter = {
            ...(status ? { status } : {}),
            ...(beginning ? { $or: [{ username_key: beginning }, { email_key: beginning }] } : {}),
        };
        const { content: users, pagination } = await findPage(this.users, filter, { created_at: -1, _id: -1 }, query);
        const auths = await this.auths.find({ user: { $in: users.map(({ _id }) => _id) } }).lean();
        const authOf = new Map(auths.map((auth) => [auth.user.toHexString(), auth]));
        const accounts = users.flatMap((user) => {
            const auth = authOf.get(user._id.toHexString());
            return auth ? [toAccount(user, auth)] : [];
        });
        return { content: accounts, pagination };
    }
    /**
     * Stops an account (a date), or lets it go on (null). Sessions of before stay dead: the credential version grows.
     * @param state which of the two ways to be inactive is changed
     */
    async setInactive(userId, state, since) {
        const _id = new Types.ObjectId(userId);
        const auth = await this.auths.findOneAndUpdate({ user: _id }, { $inc: { credential_version: 1 }, ...(state === 'disabled' ? { $set: { disabled_at: since } } : {}) }, { returnDocument: 'after' });
        const user = await this.users.findById(_id).lean();
        if (!auth || !user)
            throw new ApiError('not_found');
        const deletedAt = state === 'deleted' ? since : user.deleted_at;
        const status = deletedAt || auth.disabled_at ? 'inactive' : auth.confirmed_at ? 'active' : 'pending';
        await this.users.updateOne({ _id }, { $set: { deleted_at: deletedAt, status, updated_at: this.clock.now() } });
    }
    /** Removes an account whose address was never confirmed; one that was confirmed meanwhile stays. */
    async deleteUnconfirmed(userId) {
        const _id = new Types.ObjectId(userId);
        const auth = await this.auths.deleteOne({ user: _id, confirmed_at: null });
        if (auth.deletedCount === 1)
            await this.users.deleteOne({ _id });
    }
    /** @returns false when the account is gone or was confirmed already */
    async confirmEmail(userId) {
        const _id = new Types.ObjectId(userId);
        const now = this.clock.now();
        const confirmed = await this.auths.updateOne({ user: _id, confirmed_at: null }, { $set: { confirmed_at: now }, $unset: { unconfirmed_until: 1 } });
        if (confirmed.modifiedCount === 0)
            return false;
        const kept = await this.users.updateOne({ _id }, { $set: { updated_at: now, status: 'active' }, $unset: { unconfirmed_until: 1 } });
        return kept.matchedCount === 1;
    }
    /** Stores a new password. @returns the new credential version, which ends every session of an older one */
    async replacePassword(userId, passwordHash) {
        const _id = new Types.ObjectId(userId);
        await this.users.updateOne({ _id }, { $set: { password: passwordHash, updated_at: this.clock.now() } });
        return this.raiseCredentialVersion(userId, { password_reset_required: false });
    }
    /** From now on the password logs nobody in. @returns the new credential version */
    async requirePasswordReset(userId) {
        return this.raiseCredentialVersion(userId, { password_reset_required: true });
    }
    async setRole(userId, role) {
        await this.auths.updateOne({ user: new Types.ObjectId(userId) }, { $set: { role } });
    }
    async raiseCredentialVersion(userId, change) {
        const auth = await this.auths.findOneAndUpdate({ user: new Types.ObjectId(userId) }, { $set: change, $inc: { credential_version: 1 } }, { returnDocument: 'after' });
        if (!auth)
            throw new ApiError('session_revoked');
        return auth.credential_version;
    }
    async findWhere(filter) {
        const user = await this.users.findOne(filter).lean();
        if (!user)
            return null;
        const auth = await this.auths.findOne({ user: user._id }).lean();
        return auth && toAccount(user, auth);
    }
};
AccountsRepository = __decorate([
    Injectable(),
    __param(0, InjectModel(User.name)),
    __param(1, InjectModel(Auth.name)),
    __metadata("design:paramtypes", [Function, Function, Clock])
], AccountsRepository);
export { AccountsRepository };
//# sourceMappingURL=accounts.repository.js.map