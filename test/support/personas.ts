import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { Role } from '../../src/common/access/index.js';
import type { ApiClient } from './api-client.js';
import type { Inbox } from './inbox.js';

export const PASSWORD = 'Abcdef1@';

export interface Registration {
  last_name: string;
  first_name: string;
  username: string;
  email: string;
  password: string;
  password_confirmation: string;
}

export interface Tokens {
  token: string;
  refresh_token: string;
}

/** Somebody who registered. */
export interface Visitor {
  /** Presents nothing of its own accord. */
  client: ApiClient;
  /** Presents the API key of the calling application and, once logged in, the access token, with every request. */
  api: ApiClient;
  registration: Registration;
}

/** Somebody who is logged in. */
export interface User extends Visitor, Tokens {
  userId: string;
}

/** A registration that nobody else uses. */
export function newRegistration(overrides: Partial<Registration> = {}): Registration {
  const name = `u_${randomBytes(6).toString('hex')}`;
  return {
    last_name: 'Lovelace',
    first_name: 'Ada',
    username: name,
    email: `${name}@example.com`,
    password: PASSWORD,
    password_confirmation: PASSWORD,
    ...overrides,
  };
}

/** People at the beginning of a test, made over HTTP like any other. */
export class Personas {
  constructor(
    private readonly newClient: () => ApiClient,
    private readonly inbox: Inbox,
    private readonly service: { apiKey?: string; database?: Connection } = {},
  ) {}

  /** Registered, e-mail not confirmed. */
  async visitor(overrides: Partial<Registration> = {}): Promise<Visitor> {
    const client = this.newClient();
    const registration = newRegistration(overrides);
    const { status, text } = await client.post('/auth/register', registration);
    if (status !== 201) throw new Error(`The registration failed: ${text}`);
    return { client, api: client.as({ apiKey: this.service.apiKey }), registration };
  }

  /** Registered and confirmed, not logged in. */
  async confirmed(overrides: Partial<Registration> = {}): Promise<Visitor> {
    const visitor = await this.visitor(overrides);
    const { email } = visitor.registration;
    const { otp } = await this.inbox.waitFor(email, 'email-verification');
    const { status, text } = await visitor.client.post('/auth/verify-otp', { email, otp });
    if (status !== 200) throw new Error(`The verification failed: ${text}`);
    return visitor;
  }

  /** Logged in. */
  async user(overrides: Partial<Registration> = {}): Promise<User> {
    const confirmed = await this.confirmed(overrides);
    const session = await this.login(confirmed);
    return { ...confirmed, ...session, api: confirmed.api.as({ bearer: session.token }) };
  }

  /** Logged in, with the role of administrator. */
  async admin(overrides: Partial<Registration> = {}): Promise<User> {
    return this.withRole('admin', overrides);
  }

  /** Logged in, with a role. */
  async withRole(role: Role, overrides: Partial<Registration> = {}): Promise<User> {
    const user = await this.user(overrides);
    const database = this.service.database as Connection;
    const stored = await database.collection('users').findOne({ username: user.registration.username });
    await database.collection('auths').updateOne({ user: stored?._id }, { $set: { role } });
    return user;
  }

  /** One more session of somebody, from an address of its own. */
  async login({ registration }: Visitor, client = this.newClient()): Promise<Tokens & { userId: string }> {
    const { username, password } = registration;
    const { status, body, text } = await client.post('/auth/login', { login: username, password });
    if (status !== 200) throw new Error(`The login failed: ${text}`);
    return { token: body.data.token, refresh_token: body.data.refresh_token, userId: body.data.user._id };
  }
}
