import { setTimeout } from 'node:timers/promises';
import { type Document, ObjectId } from 'mongodb';
import { expect } from 'vitest';
import { LoginReportTokens } from '../../../src/security/index.js';
import { type AccountModel, type ModelSession, RECORDED } from './model.js';
import { redisUrl, usesRedis } from '../backends.js';
import type { ApiClient } from '../api-client.js';
import { ManualClock, MINUTE, SECOND } from '../manual-clock.js';
import type { User } from '../personas.js';
import { TcpProxy } from '../tcp-proxy.js';
import { API_KEY, startTestApp, type TestApp } from '../test-app.js';

/** The tokens of a session that are tried after each step: the newest. */
const TRIED = 2;

/** The service that an {@link AccountModel} is compared with: two instances where they can know of each other, or else one. */
export class AccountWorld {
  /** How long a mail may take. */
  patienceSeconds = 0;
  private adminSince = 0;
  private hosts = 0;

  private constructor(
    readonly clock: ManualClock,
    /** The way to Redis, where a story has outages. */
    readonly redis: TcpProxy | null,
    private readonly instances: [TestApp, ...TestApp[]],
    private admin: User,
  ) {}

  static async open({ hasOutages = false } = {}): Promise<AccountWorld> {
    const clock = new ManualClock();
    clock.freeze();
    const redis = hasOutages ? await TcpProxy.before(redisUrl() as string) : null;
    const env = { RATE_LIMIT: '1000000', ...(redis ? { REDIS_URL: redis.redisUrl } : {}) };
    const first = await startTestApp({ clock, env, redis: usesRedis || hasOutages });
    const others = usesRedis || hasOutages ? [await startTestApp({ clock, beside: first, env })] : [];
    return new AccountWorld(clock, redis, [first, ...others], await first.personas.admin());
  }

  async close(): Promise<void> {
    this.redis?.restore();
    for (const instance of this.instances.toReversed()) await instance.close();
    await this.redis?.close();
  }

  /** A caller from an address of its own, at one of the instances. */
  client(at: number): ApiClient {
    return (this.instances[at % this.instances.length] as TestApp).client().as({ apiKey: API_KEY });
  }

  /** With a browser somewhere in a network (a /48), each time from a /64 that has no logins yet: limits are per /64. */
  logIn(at: number, network: string, userAgent: string, credentials: Record<'login' | 'password', string>) {
    this.hosts += 1;
    const instance = this.instances[at % this.instances.length] as TestApp;
    const headers = { 'user-agent': userAgent };
    return instance.client(`${network}:${this.hosts.toString(16)}::1`).post('/auth/login', credentials, { headers });
  }

  /** What the link in the mail about this login contains, if there is such a mail. */
  reportToken(login: Parameters<LoginReportTokens['issue']>[0]): string {
    return this.instances[0].app.get(LoginReportTokens).issue(login);
  }

  /** Waits for the next mail of a kind; its secret is the live one from now on. */
  async receive(model: AccountModel, kind: keyof AccountModel['mails']): Promise<void> {
    model.mails[kind] += 1;
    const secret = kind === 'email-verification' ? model.otp : model.reset;
    secret.issued(await this.mailed(model.email, kind, model.mails[kind]));
  }

  private async mailed(email: string, kind: string, count: number): Promise<string> {
    const deadline = Date.now() + this.patienceSeconds * SECOND;
    for (;;) {
      const mails = (await this.instances[0].inbox.mailsTo(email)).filter((mail) => mail.kind === kind);
      const mail = mails.at(-count);
      if (mail) return (mail.otp ?? mail.token) as string;
      if (Date.now() > deadline) throw new Error(`There are ${mails.length} mails of ${kind}, and not ${count}`);
      await setTimeout(10);
    }
  }

  /** What an administrator asks for. @param account its id, and the path behind it */
  async decide(at: number, method: string, account: string, body?: unknown) {
    if (this.clock.nowMs() - this.adminSince > 30 * MINUTE) {
      this.admin = { ...this.admin, ...(await this.instances[0].personas.login(this.admin)) };
      this.adminSince = this.clock.nowMs();
    }
    return this.client(at).request(`/api/users/${account}`, { method, body, bearer: this.admin.token });
  }

  /** What the account is, what its tokens open, and whom they show, is what the model says, on every instance. */
  async expectAsSaid(model: AccountModel): Promise<void> {
    if (model.exists) await this.expectAccount(model);
    await this.expectRecords(model);
    expect(model.sessions.filter(({ isUnannounced, end }) => isUnannounced && !end)).toEqual([]);
    for (const [at] of this.instances.entries()) {
      for (const session of model.sessions) await this.expectSession(at, model, session);
    }
    await this.expectRole(model);
  }

  private async expectAccount(model: AccountModel): Promise<void> {
    const { disabled_at, deleted_at, confirmed_at, ...account } = (await this.decide(0, 'GET', model.userId)).body.data;
    const standing = [disabled_at, deleted_at, confirmed_at].map((at) => at !== null);
    expect(standing).toEqual([model.isDisabled, model.isDeleted, model.isConfirmed]);
    expect(account).toMatchObject({
      username: model.username,
      first_name: model.firstName,
      password_reset_required: model.isResetRequired,
      role: model.isAdmin ? 'admin' : null,
    });
  }

  /** Mails and events that are stored with what they are about. */
  private async expectRecords({ email, userId, mails, events }: AccountModel): Promise<void> {
    const counted = async (collection: string, $match: Document) => {
      const $group = { _id: '$kind', count: { $sum: 1 } };
      const stored = await this.instances[0].database
        .collection(collection)
        .aggregate([{ $match }, { $group }])
        .toArray();
      return Object.fromEntries(stored.map(({ _id, count }) => [_id as string, count as number]));
    };
    const expected = Object.fromEntries(Object.entries(mails).filter(([, count]) => count > 0));
    expect(await counted('mails', { to: email, state: { $ne: 'decoy' } })).toEqual(expected);
    if (userId)
      expect(await counted('security_events', { user: new ObjectId(userId), kind: { $in: [...RECORDED] } })).toEqual(
        events,
      );
  }

  private async expectSession(at: number, model: AccountModel, session: ModelSession): Promise<void> {
    for (const token of session.accessTokens.slice(-TRIED)) {
      const { status, body } = await this.client(at).get('/api/profile', { bearer: token.text });
      const refusal = model.accessRefusal(session, token);
      expect(`${status} ${body.code}`).toBe(refusal ? `401 ${refusal}` : '200 undefined');
      if (refusal) continue;
      expect(body.data).toMatchObject({ username: model.username, first_name: model.firstName });
      const history = await this.client(at).get('/api/login-history?limit=100', { bearer: token.text });
      const listed = history.body.data.content as { _id: string; current: boolean }[];
      expect(listed.map(({ _id }) => _id).sort()).toEqual(model.liveSessions.map(({ id }) => id).sort());
      expect(listed.filter(({ current }) => current).map(({ _id }) => _id)).toEqual([session.id]);
    }
  }

  /** Whether the newest session that is left opens what only administrators may see: the role is read from storage alone. */
  private async expectRole(model: AccountModel): Promise<void> {
    const session = model.liveSessions.at(-1);
    const token = session?.accessTokens.at(-1);
    if (!session || !token || model.accessRefusal(session, token)) return;
    const { status, body } = await this.client(0).get(`/api/users/${model.userId}`, { bearer: token.text });
    expect(`${status} ${body.code}`).toBe(model.isAdmin ? '200 undefined' : '403 role_required');
  }
}
