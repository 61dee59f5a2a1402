import { PASSWORD, type Tokens, type User } from './personas.js';
import { PasswordResets } from './password-resets.js';
import { API_KEY, type TestApp } from './test-app.js';
import { FIREFOX, IPHONE } from './user-agents.js';

interface Victim extends User {
  thief: Tokens;
  /** Of the link in the mail about the thief's login. */
  linkToken: string;
}

/** Accounts in which a thief has logged in, and what their owners can do about it. */
export class ReportedLogins {
  private logins = 0;

  constructor(private readonly test: TestApp) {}

  async victim(): Promise<Victim> {
    const user = await this.test.personas.user();
    return { ...user, ...(await this.logInFromElsewhere(user)) };
  }

  /** Logs in from elsewhere, and waits for the mail that tells the owner: the first, or the second, by another device. */
  async logInFromElsewhere(user: User, password = PASSWORD, mails: 1 | 2 = 1): Promise<Omit<Victim, keyof User>> {
    const { username, email } = user.registration;
    this.logins += 1;
    const headers = { 'user-agent': mails === 1 ? FIREFOX : IPHONE };
    const client = this.test.client(`203.0.${this.logins}.1`);
    const { body } = await client.post('/auth/login', { login: username, password }, { headers });
    const { link } = await this.test.inbox.waitFor(email, 'new-device', mails);
    return { thief: body.data as Tokens, linkToken: new URL(link as string).searchParams.get('token') as string };
  }

  open(token: string, at = this.test) {
    return at.client().get(`/not-me?token=${token}`);
  }

  /** As a browser does: of a page without referrer it names no origin. */
  confirm(token: string, at = this.test) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: 'null' };
    return at.client().post('/not-me', new URLSearchParams({ token }).toString(), { headers });
  }

  report(token: string, at = this.test) {
    return at.client().post('/auth/report-login', { token });
  }

  profile(bearer: string, at = this.test) {
    return at.client().get('/api/profile', { bearer, apiKey: API_KEY });
  }

  /** How many mails tell the owner of a lockdown. */
  alerts({ registration }: User): Promise<number> {
    return this.test.database.collection('mails').countDocuments({ to: registration.email, kind: 'security-alert' });
  }

  /** Chooses NEW_PASSWORD by the link in the latest mail of that kind. */
  async reset({ registration }: User, kind = 'security-alert') {
    const { token } = await this.test.inbox.waitFor(registration.email, kind);
    return new PasswordResets(this.test).reset(token as string);
  }
}
