import type { TestApp } from './test-app.js';

export const NEW_PASSWORD = 'Brand-new2$';

/** What somebody does who has forgotten a password. */
export class PasswordResets {
  constructor(private readonly test: TestApp) {}

  forgot(email: string) {
    return this.test.client().post('/auth/forgot-password', { email });
  }

  /** Asks for a link, and reads its token in the mail. @param count how many such mails there are by then */
  async tokenFor(email: string, count = 1): Promise<string> {
    await this.forgot(email);
    return (await this.test.inbox.waitFor(email, 'password-reset', count)).token as string;
  }

  reset(token: string, password = NEW_PASSWORD) {
    return this.test.client().post('/auth/reset-password', { token, password, password_confirmation: password });
  }

  login(username: string, password: string) {
    return this.test.client().post('/auth/login', { login: username, password });
  }
}
