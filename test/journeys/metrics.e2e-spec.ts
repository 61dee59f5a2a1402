import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProcessMetrics } from '../../src/infrastructure/observability/metrics/index.js';
import { AccountQuotas } from '../../src/security/index.js';
import { MINUTE } from '../support/manual-clock.js';
import { newRegistration, PASSWORD } from '../support/personas.js';
import { exchange } from '../support/raw-http.js';
import { seriesOf } from '../support/series.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { API_KEY, startTestApp, type TestApp } from '../support/test-app.js';

const SOMEBODY = '66f2a1b3c4d5e6f708192a3b';

const scrape = async (test: TestApp): Promise<Record<string, number>> => {
  const { status, headers, text } = await test.client().get('/metrics');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  return seriesOf(text);
};

describe('Metrics', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ env: { RATE_LIMIT: '3' } });
  });
  afterAll(() => test.close());

  /** By how much each series grew meanwhile. */
  const growth = async (work: () => Promise<unknown>) => {
    const before = await scrape(test);
    await work();
    const after = await scrape(test);
    return (series: string) => (after[series] ?? 0) - (before[series] ?? 0);
  };

  it('count requests by route, method and status, and unknown paths as one', async () => {
    const grew = await growth(async () => {
      for (const path of ['/nothing', '/nothing/else', '/nothing?token=secret-token', '/%zz']) {
        await test.client().get(path);
      }
      await test.client().request('/nothing', { method: 'PROPFIND' });
      await test.client().get('/health/live?probe=1');
      await test.client().post('/auth/login', {});
    });
    const count = (labels: string) => grew(`http_request_duration_seconds_count{${labels}}`);
    expect(count('method="GET",route="none",status="404"')).toBe(3);
    expect(count('method="GET",route="/health/live",status="200"')).toBe(1);
    expect(count('method="POST",route="/auth/login",status="422"')).toBe(1);
    const { text } = await test.client().get('/metrics');
    expect(text).not.toMatch(/nothing|secret-token|probe|PROPFIND|%zz/);
  });

  it('count preflights, and what was refused half-way by the status that its caller got', async () => {
    const counts = async (labels: string) =>
      (await scrape(test))[`http_request_duration_seconds_count{${labels}}`] ?? 0;
    const headers = { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' };
    await test.client().request('/auth/login', { method: 'OPTIONS', headers });
    expect(await counts('method="OPTIONS",route="*",status="204"')).toBe(1);

    const head = 'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    expect(await exchange(test.url, `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
    await expect.poll(() => counts('method="POST",route="/auth/login",status="400"')).toBe(1);
    expect(await counts('method="POST",route="/auth/login",status="499"')).toBe(0);
  });

  it('tell how logins end, what the hashing costs, and what the limiter refuses', async () => {
    const { registration } = await test.personas.confirmed();
    const unconfirmed = await test.personas.visitor();
    const login = (login: string, password: string, client = test.client()) =>
      client.post('/auth/login', { login, password });
    const grew = await growth(async () => {
      await login(registration.username, PASSWORD);
      await login(registration.username, 'Wrong1@aa');
      await login('nobody_at_all', PASSWORD);
      await login(unconfirmed.registration.username, PASSWORD);
      const client = test.client();
      for (let i = 0; i < 7; i += 1) await client.post('/auth/login', {});
      for (let i = 0; i < 4; i += 1) await client.get('/api/profile');
    });
    expect(grew('logins_total{outcome="success"}')).toBe(1);
    expect(grew('logins_total{outcome="invalid_credentials"}')).toBe(2);
    expect(grew('logins_total{outcome="email_not_verified"}')).toBe(1);
    expect(grew('password_hash_duration_seconds_count')).toBe(4);
    expect(grew('rate_limit_refusals_total{limit="auth"}')).toBe(2);
    expect(grew('rate_limit_refusals_total{limit="general"}')).toBe(1);
    expect(grew('security_events_total{kind="authn_login_success"}')).toBe(1);
    // One for each limit, however often it is run against.
    expect(grew('security_events_total{kind="excess_rate_limit_exceeded"}')).toBe(2);
  });

  it('tell what the quotas of accounts refuse', async () => {
    const use = () => test.app.get(AccountQuotas).use('note', SOMEBODY, { quota: 1, windowMs: MINUTE });
    const grew = await growth(async () => {
      await use();
      for (let i = 0; i < 3; i += 1) await expect(use()).rejects.toMatchObject({ code: 'too_many_requests' });
    });
    expect(grew('rate_limit_refusals_total{limit="account"}')).toBe(3);
    expect(grew('security_events_total{kind="excess_rate_limit_exceeded"}')).toBe(1);
  });

  it('tell which records the cache had', async () => {
    const user = await test.personas.user();
    const read = () => test.client().get('/api/profile', { bearer: user.token, apiKey: API_KEY });
    await read();
    const grew = await growth(read);
    expect(grew('record_cache_reads_total{result="hit"}')).toBeGreaterThan(0);
    expect(grew('record_cache_reads_total{result="miss"}')).toBe(0);
  });

  it('tell of the dependencies and the process', async () => {
    const metrics = await scrape(test);
    expect(metrics).toMatchObject({ database_up: 1, untrusted_proxy_suspected: 0, password_hashes_waiting: 0 });
    expect(metrics.redis_up).toBe(test.config.redis.url ? 1 : undefined);
    expect(metrics.process_resident_memory_bytes).toBeGreaterThan(10_000_000);
    expect(metrics.nodejs_eventloop_lag_max_seconds).toBeGreaterThanOrEqual(0);
  });

  it('are read as often as anybody likes, and count against no limit', async () => {
    const client = test.client();
    const statuses = await Promise.all(Array.from({ length: 30 }, async () => (await client.get('/metrics')).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('hold nothing of anybody', async () => {
    const user = await test.personas.user();
    await test.client().get('/api/profile', { bearer: user.token, apiKey: API_KEY });
    await test.client().get(`/api/users/${user.userId}`, { bearer: user.token, apiKey: API_KEY });
    const { text } = await test.client().get('/metrics');
    const { email, username, password } = user.registration;
    const secrets = [
      email,
      username,
      password,
      user.userId,
      user.token,
      user.refresh_token,
      API_KEY,
      'suite',
      '198.18.',
    ];
    for (const secret of [...secrets, test.config.tokens.accessSecret, test.config.dataDirectory]) {
      expect(text).not.toContain(secret);
    }
  });

  it('are of one application, and are no longer taken once it has closed', async () => {
    const other = await startTestApp();
    const { 'logins_total{outcome="success"}': logins } = await scrape(other);
    const { eventLoop } = other.app.get(ProcessMetrics, { strict: false }) as unknown as {
      eventLoop: { enable(): boolean; disable(): boolean };
    };
    await other.close();
    expect(logins).toBe(0);
    expect(eventLoop.disable(), 'it was still measuring').toBe(false);
  });

  it('can be turned off', async () => {
    const without = await startTestApp({ env: { METRICS: 'off' } });
    const { status, body } = await without.client().get('/metrics');
    await without.close();
    expect(status).toBe(404);
    expect(body).toMatchObject({ error: true, code: 'not_found' });
  });
});

describe('Metrics of what is amiss', () => {
  it('show mails that the mail server does not take', async () => {
    const smtp = await SmtpSink.start();
    const test = await startTestApp({ env: { SMTP_HOST: '127.0.0.1', SMTP_PORT: String(smtp.port) } });
    const until = async (condition: (metrics: Record<string, number>) => boolean) => {
      let metrics: Record<string, number> = {};
      await expect.poll(async () => condition((metrics = await scrape(test))), { timeout: 10_000 }).toBe(true);
      return metrics;
    };
    smtp.refusing = { at: 'mail', status: 451 };
    await test.client().post('/auth/register', newRegistration());
    const postponed = await until((metrics) => metrics['mail_attempts_total{outcome="postponed"}'] === 1);
    expect(postponed).toMatchObject({ mails_waiting: 1, mails_stuck: 0 });
    test.clock.advance(2 * MINUTE);
    expect(await scrape(test)).toMatchObject({ mails_waiting: 1, mails_stuck: 1 });
    smtp.refusing = null;
    test.clock.advance(2 * MINUTE);
    const sent = await until((metrics) => metrics['mail_attempts_total{outcome="sent"}'] === 1);
    expect(sent['mail_attempts_total{outcome="refused"}']).toBe(0);
    await until((metrics) => metrics.mails_waiting === 0 && metrics.mails_stuck === 0);
    await test.close();
    await smtp.stop();
  });

  it.each([
    {
      what: 'that TRUST_PROXY does not name',
      warning: 'untrusted_proxy',
      trusted: '',
      ask: (test: TestApp) => test.client().get('/api/profile'),
    },
    {
      what: 'that TRUST_PROXY names and that does not tell for whom it calls',
      warning: 'proxy_hides_clients',
      trusted: '127.0.0.1',
      ask: (test: TestApp) => fetch(`${test.url}/api/profile`),
    },
  ])('show a proxy $what', async ({ warning, trusted, ask }) => {
    const test = await startTestApp({ env: { TRUST_PROXY: trusted, RATE_LIMIT: '1000' } });
    for (let i = 0; i < 200; i += 1) await ask(test);
    // Past the proxy, as Prometheus and orchestrators come.
    for (let i = 0; i < 200; i += 1) await fetch(`${test.url}/health/live`);
    const { untrusted_proxy_suspected, proxy_hides_clients_suspected } = await scrape(test);
    const { warnings } = (await test.client().get('/health/ready')).body.data;
    await test.close();
    expect({ untrusted_proxy: untrusted_proxy_suspected, proxy_hides_clients: proxy_hides_clients_suspected }).toEqual({
      untrusted_proxy: 0,
      proxy_hides_clients: 0,
      [warning]: 1,
    });
    expect(warnings).toEqual([warning]);
  });
});
