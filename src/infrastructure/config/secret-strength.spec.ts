import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { weaknessOf } from './secret-strength.js';

describe('A signing secret', () => {
  it.each([
    '<SECRET>',
    'your-secret-key-change-in-production',
    'your_jwt_secret_key_change_this_in_production',
    'YOUR_256_BIT_SECRET_goes_here_0123',
    'replace-me-with-a-long-random-string-please',
    'this-is-an-insecure-default-of-a-template',
  ])('is refused where a manual may have it: %s', (secret) => {
    expect(weaknessOf(secret)).toBe('is an example value');
  });

  it('is refused if it is short, or regular', () => {
    expect(weaknessOf('aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0e')).toBe('must have at least 32 bytes');
    expect(weaknessOf('abcabcabcabcabcabcabcabcabcabcabc')).toBe('is too regular to be random');
  });

  it('is good if it is random, in whichever letters', () => {
    for (let i = 0; i < 500; i += 1)
      for (const encoding of ['base64', 'base64url', 'hex'] as const)
        expect(weaknessOf(randomBytes(48).toString(encoding))).toBeNull();
  });
});
