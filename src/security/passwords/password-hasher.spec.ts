import { describe, expect, it } from 'vitest';
import type { Config } from '../../infrastructure/config/index.js';
import { Metrics } from '../../infrastructure/observability/index.js';
import { PasswordHasher } from './password-hasher.js';

const hasherWith = (hashConcurrency: number, metrics = new Metrics()) =>
  new PasswordHasher({ passwords: { hashCost: 4, hashConcurrency, blocklistFile: null } } as Config, metrics);

describe('PasswordHasher', () => {
  it('verifies what it hashed, and nothing else', async () => {
    const hasher = hasherWith(2);
    const hash = await hasher.hash('Abcdef1@');
    expect(hash).toMatch(/^\$2b\$04\$/);
    expect(await hasher.verify('Abcdef1@', hash)).toBe(true);
    for (const other of ['abcdef1@', 'Abcdef1@ ', '', 'Abcdef1']) expect(await hasher.verify(other, hash)).toBe(false);
  });

  it('takes the same text from two keyboards for the same password', async () => {
    const hasher = hasherWith(2);
    const [composed, decomposed] = ['NFC', 'NFD'].map((form) => 'Café-Zoë7@'.normalize(form)) as [string, string];
    expect(composed).not.toBe(decomposed);
    expect(await hasher.verify(decomposed, await hasher.hash(composed))).toBe(true);
    expect(await hasher.verify(composed, await hasher.hash(decomposed))).toBe(true);
  });

  it('salts: two hashes of one password differ', async () => {
    const hasher = hasherWith(2);
    expect(await hasher.hash('Abcdef1@')).not.toBe(await hasher.hash('Abcdef1@'));
  });

  it('does not take a longer password for the one it begins with, though bcrypt would', async () => {
    const hasher = hasherWith(2);
    const longest = `Aa1@${'x'.repeat(68)}`;
    const hash = await hasher.hash(longest);
    expect(await hasher.verify(longest, hash)).toBe(true);
    expect(await hasher.verify(`${longest}y`, hash)).toBe(false);
  });

  it('compares once where there is nothing to compare with, and answers no', async () => {
    expect(await hasherWith(2).verify('nobody', null)).toBe(false);
  });

  it('does not verify against a damaged hash', async () => {
    expect(await hasherWith(2).verify('x', 'not a hash')).toBe(false);
  });

  it('serves one origin in order, a bounded number at a time', async () => {
    const hasher = hasherWith(1);
    const order: number[] = [];
    await Promise.all(Array.from({ length: 20 }, (_, i) => hasher.hash(`p${i}`).then(() => order.push(i))));
    expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  it('turns away whoever would wait too long, and recovers', async () => {
    const metrics = new Metrics();
    const hasher = hasherWith(1, metrics);
    const settled = await Promise.allSettled(Array.from({ length: 60 }, () => hasher.hash('x')));
    const refused = settled.filter((result) => result.status === 'rejected');
    expect(refused.length).toBe(60 - 51);
    expect(refused[0]?.reason).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: expect.any(Number) });
    expect(await metrics.render()).toMatch(/^password_hashes_refused_total 9$/m);
    expect(await hasher.hash('x')).toMatch(/^\$2b\$/);
  });

  it('ends its threads with the service', async () => {
    const hasher = hasherWith(2);
    await Promise.all([hasher.hash('x'), hasher.hash('y')]);
    const { all } = (hasher as unknown as { threads: { all: Set<unknown> } }).threads;
    expect(all.size).toBe(2);
    await hasher.onApplicationShutdown();
    expect(all.size).toBe(0);
  });
});
