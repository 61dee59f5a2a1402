/** What a client finds: the running service, and somebody’s mailbox. */
export interface World {
  url: string;
  apiKey: string;
  person: { last_name: string; first_name: string; username: string; email: string; password: string };
  /** The code or the token of a mail. */
  secretOf(email: string, kind: 'email-verification' | 'password-reset' | 'security-alert'): Promise<string>;
}

export function expect(actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}
