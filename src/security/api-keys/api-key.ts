import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Types } from 'mongoose';

/** Names appear in logs and lists. */
export const API_KEY_NAME = /^[A-Za-z0-9._-]{1,64}$/;
export const API_KEY_NAME_RULE = 'name must be 1 to 64 letters, digits, dots, underscores or hyphens';

const SECRET_BYTES = 32;
const ISSUED_KEY = /^(ak_([0-9a-f]{24}))_[A-Za-z0-9_-]{43}$/;

/**
 * A key that an administrator issued: `ak_<id>_<secret>`. The id finds the record, so that the secret (256 bits) is
 * only ever compared, in constant time; the fixed beginning lets secret scanners recognise a leaked key.
 */
export function newApiKey(id: string): string {
  return `${publicPartOf(id)}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
}

/** The part of a key that may be shown, to tell it from others. */
export function publicPartOf(id: string): string {
  return `ak_${id}`;
}

/** @returns null for anything that no administrator can have issued */
export function idOfApiKey(key: string): string | null {
  return ISSUED_KEY.exec(key)?.[2] ?? null;
}

export function newApiKeyId(): string {
  return new Types.ObjectId().toHexString();
}

export function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

export function isSameDigest(hex: string, digest: Buffer): boolean {
  return timingSafeEqual(Buffer.from(hex, 'hex'), digest);
}
