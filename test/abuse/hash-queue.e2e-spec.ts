import { describe, expect, it } from 'vitest';
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
