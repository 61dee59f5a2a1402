import { createHmac } from 'node:crypto';

type Part = Record<string, unknown>;

export const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Header and claims of a token, unverified. */
export function decodeToken(token: string): [Part, Part] {
  const parts = token.split('.').slice(0, 2);
  return parts.map((part) => JSON.parse(Buffer.from(part, 'base64url').toString())) as [Part, Part];
}

/** A token of any content, well signed with this secret. */
export function forgeToken(header: object, claims: object, secret: string, hash = 'sha256'): string {
  const body = `${base64url(header)}.${base64url(claims)}`;
  return `${body}.${createHmac(hash, secret).update(body).digest('base64url')}`;
}
