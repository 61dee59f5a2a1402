import { hasShape, isText, type ShapeOf } from '../authentication/cached-shape.js';
import type { ApiKey } from './api-key.schema.js';

const SHA256_HEX = /^[0-9a-f]{64}$/;

/** A stored key as the cache holds it; times in milliseconds. */
export interface ApiKeyRecord {
  name: string;
  digest: string;
  previous_digest: string | null;
  previous_until: number;
  expires_at: number | null;
}

export function apiKeyRecordKey(id: string): string {
  return `api-key:${id}`;
}

export function toApiKeyRecord({ name, digest, previous_digest, previous_until, expires_at }: ApiKey): ApiKeyRecord {
  return {
    name,
    digest,
    previous_digest: previous_digest ?? null,
    previous_until: previous_until?.getTime() ?? 0,
    expires_at: expires_at?.getTime() ?? null,
  };
}

const SHAPE: ShapeOf<ApiKeyRecord> = {
  name: isText,
  digest: isDigest,
  previous_digest: (value) => value === null || isDigest(value),
  previous_until: Number.isFinite,
  expires_at: (value) => value === null || Number.isFinite(value),
};

/** Reads a record from the cache; anything of another shape is a miss. */
export function readApiKeyRecord(value: unknown): ApiKeyRecord | null {
  return hasShape(value, SHAPE) ? value : null;
}

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && SHA256_HEX.test(value);
}
