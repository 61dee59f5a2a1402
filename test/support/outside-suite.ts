import { expect } from 'vitest';
import { ApiClient } from './api-client.js';
import type { InboxEntry } from './inbox.js';
import { newRegistration, PASSWORD, type Registration, type Tokens } from './personas.js';

/** All that it knows of the service is its address: it is what the test suite of a client team can do. */
export class OutsideSuite {
  constructor(
    readonly api: ApiClient,
    readonly apiKey: string,
  ) {}

  /** A suite that runs at the same time, whose limits are its own. */
  inNamespace(namespace: string) {
    const headers = { 'x-test-limit-namespace': namespace };
    return { post: (path: string, body: unknown) => this.api.post(path, body, { headers }) };
  }

  async nextMail(to: string, query: Record<string, string> = {}): Promise<InboxEntry> {
    const { status, body, text } = await this.api.get(`/dev/inbox/next?${new URLSearchParams({ to, ...query })}`);
    expect(status, text).toBe(200);
    return body.data;
  }

  async move(change: { advance_seconds?: number; offset_seconds?: number }): Promise<void> {
    expect((await this.api.patch('/dev/clock', change)).status).toBe(200);
  }

  async fail(faults: { smtp?: string; redis?: string }): Promise<void> {
    expect((await this.api.patch('/dev/faults', faults)).status).toBe(200);
  }

  async register(): Promise<Registration> {
    const registration = newRegistration();
    const { status, text } = await this.inNamespace(registration.username).post('/auth/register', registration);
    expect(status, text).toBe(201);
    return registration;
  }

  async verified(): Promise<Registration> {
    const registration = await this.register();
    const { otp } = await this.nextMail(registration.email, { kind: 'email-verification' });
    const { status } = await this.verify(registration, otp);
    expect(status).toBe(200);
    return registration;
  }

  verify({ email, username }: Registration, otp: string | null) {
    return this.inNamespace(username).post('/auth/verify-otp', { email, otp });
  }

  login({ username }: Registration) {
    return this.inNamespace(username).post('/auth/login', { login: username, password: PASSWORD });
  }

  async user(): Promise<Registration & Tokens> {
    const registration = await this.verified();
    return { ...registration, ...((await this.login(registration)).body.data as Tokens) };
  }

  profile({ token }: Pick<Tokens, 'token'>) {
    return this.api.get('/api/profile', { bearer: token, apiKey: this.apiKey });
  }

  refresh({ refresh_token, username }: Tokens & Registration) {
    return this.inNamespace(username).post('/auth/refresh-token', { refresh_token });
  }
}
