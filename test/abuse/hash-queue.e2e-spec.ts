import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { PasswordHasher } from '../../src/security/index.js';
import type { HashThreads } from '../../src/security/passwords/hash-threads.js';
import type { ApiResponse } from '../support/api-client.js';
import { PASSWORD } from '../support/personas.js';
import { startTestApp } from '../support/test-app.js';

describe('Many hashes at once', () => {
  it('are answered all, and health checks wait for none of them', async () => {
    const test = await startTestApp({
      adjust: (config) => ({ ...config, passwords: { ...config.passwords, hashCost: 10, hashConcurrency: 1 } }),
    });
    try {
      let answered = 0;
      const logins = Array.from({ length: 150 }, async (_, i) => {
        const answer = await test.client().post('/auth/login', { login: `nobody_${i}`, password: 'x' });
        answered += 1;
        return answer;
      });
      await Promise.race(logins);
      for (let i = 0; i < 10; i += 1) expect((await test.client().get('/health/live')).status).toBe(200);
      expect(answered, 'logins are still waiting').toBeLessThan(150);

      const answers = await Promise.all(logins);
      for (const { status, headers } of answers) {
        expect([401, 503]).toContain(status);
        if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThan(0);
      expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(0);
    } finally {
      await test.close();
    }
  });

  it('as more come than can be computed, those that are computed are in time for their answers', async () => {
    const test = await startTestApp({
      adjust: (config) => ({ ...config, passwords: { ...config.passwords, hashCost: 10, hashConcurrency: 1 } }),
    });
    try {
      const hasher = test.app.get(PasswordHasher) as unknown as { threads: HashThreads };
      const compare = hasher.threads.compare.bind(hasher.threads);
      let computed = 0;
      // A slow core, on which the queue is longer than the time for an answer.
      hasher.threads.compare = async (...asked) => {
        const [isEqual] = await Promise.all([compare(...asked), setTimeout(200)]);
        computed += 1;
        return isEqual;
      };
      const sent: Promise<ApiResponse>[] = [];
      for (let i = 0; i < 80; i += 1) {
        sent.push(test.client().post('/auth/login', { login: `nobody_${i}`, password: 'x' }));
        await setTimeout(100);
      }
      const statuses = (await Promise.all(sent)).map(({ status }) => status);
      const inTime = statuses.filter((status) => status === 401).length;
      expect(statuses.every((status) => [401, 503].includes(status))).toBe(true);
      expect(inTime).toBe(computed);
      expect(statuses.slice(-40), 'it does not get worse').toContain(401);
      // A correct login right after it, though so many were refused.
      expect((await test.client().post('/auth/login', { login: 'nobody', password: 'x' })).status).toBe(401);
    } finally {
      await test.close();
    }
  });

  it('are not computed for callers who are gone', async () => {
    const test = await startTestApp({
      adjust: (config) => ({ ...config, passwords: { ...config.passwords, hashConcurrency: 1 } }),
    });
    try {
      const hasher = test.app.get(PasswordHasher) as unknown as { threads: HashThreads };
      const compare = hasher.threads.compare.bind(hasher.threads);
      let computed = 0;
      hasher.threads.compare = async (...asked) => {
        computed += 1;
        await setTimeout(300);
        return compare(...asked);
      };
      const gone = new AbortController();
      const login = (i: number, signal?: AbortSignal) =>
        fetch(`${test.url}/auth/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${i}` },
          body: JSON.stringify({ login: `nobody_${i}`, password: 'x' }),
          ...(signal ? { signal } : {}),
        });
      const first = login(1);
      await expect.poll(() => computed).toBe(1);
      const others = [2, 3, 4].map((i) => login(i, gone.signal).catch(() => null));
      await setTimeout(100);
      gone.abort();
      await Promise.all(others);
      expect((await login(5)).status).toBe(401);
      expect((await first).status).toBe(401);
      expect(computed).toBe(2);
    } finally {
      await test.close();
    }
  });

  it('from one address keep nobody else from logging in', async () => {
    const test = await startTestApp({
      adjust: (config) => ({
        ...config,
        passwords: { ...config.passwords, hashCost: 10, hashConcurrency: 1 },
        limits: { ...config.limits, auth: { ...config.limits.auth, quota: 100_000 } },
      }),
    });
    let isFlooding = true;
    let flood: Promise<void>[] = [];
    try {
      const { registration } = await test.personas.confirmed();
      let refused = 0;
      flood = Array.from({ length: 60 }, async (_, i) => {
        // A host may have any address of its /64.
        const flooder = test.client(`2001:db8::${i.toString(16)}`);
        while (isFlooding) {
          const { status } = await flooder.post('/auth/login', { login: `nobody_${i}`, password: 'x' });
          if (status === 503) refused += 1;
        }
      });
      await expect.poll(() => refused).toBeGreaterThan(10);
      for (let i = 0; i < 12; i += 1) {
        const login = { login: registration.username, password: PASSWORD };
        expect((await test.client().post('/auth/login', login)).status).toBe(200);
      }
    } finally {
      isFlooding = false;
      await Promise.all(flood);
      await test.close();
    }
  });
});
