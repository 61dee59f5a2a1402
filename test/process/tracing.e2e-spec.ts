import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { type Backend, ownBackend } from '../support/backends.js';
import { Inbox } from '../support/inbox.js';
import { newRegistration, PASSWORD } from '../support/personas.js';
import { exchange } from '../support/raw-http.js';
import { ServiceProcess } from '../support/service-process.js';
import { type Span, TraceCollector } from '../support/trace-collector.js';

/** Where the two packages of docs/operations/tracing.md are installed; they are no dependencies (116 MB). */
const directory = process.env['OPENTELEMETRY_DIRECTORY'];

const NEW_PASSWORD = 'Brand-new2$';
const SENT_EVERY_MS = 100;

const randomHex = (bytes: number) => randomBytes(bytes).toString('hex');
const attribute = (span: Span, name: string) =>
  Object.values(span.attributes.find(({ key }) => key === name)?.value ?? {})[0];

describe.skipIf(!directory)('With OpenTelemetry in front, as docs/operations/tracing.md says', () => {
  const registration = newRegistration();
  const trace = { id: randomHex(16), caller: randomHex(8) };
  /** Of requests that are sent ahead of their answers; each has a route of its own. */
  const pipelined = ['GET /health/live', 'GET /health/ready', 'POST /auth/login', 'POST /auth/verify-otp'].map(
    (request) => ({ request, id: randomHex(16) }),
  );
  /** What no span may hold, by what it is. */
  const secrets: Record<string, string> = {};
  let dataDirectory: string;
  let backend: Backend;
  let collector: TraceCollector;
  let service: ServiceProcess;
  let spans: Span[];

  beforeAll(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'accounts-'));
    backend = await ownBackend({ redis: true });
    collector = await TraceCollector.start();
    const register = createRequire(resolve(directory!, 'package.json')).resolve(
      '@opentelemetry/auto-instrumentations-node/register',
    );
    service = new ServiceProcess({
      ...backend.env,
      DATA_DIR: dataDirectory,
      LOG_LEVEL: 'info',
      AUTH_RATE_LIMIT: '100',
      NODE_OPTIONS: `--import=${register}`,
      OTEL_SERVICE_NAME: 'accounts',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_NODE_ENABLED_INSTRUMENTATIONS: 'http,mongodb',
      OTEL_NODE_RESOURCE_DETECTORS: 'env,host',
      OTEL_BSP_SCHEDULE_DELAY: String(SENT_EVERY_MS),
    });
    await someLifeOfAnAccount(await service.started());
    // It sends what it still has.
    expect(await service.kill('SIGTERM')).toBe(0);
    spans = collector.spans;
  }, 60_000);
  afterAll(async () => {
    await service?.kill('SIGKILL');
    await collector?.stop();
    await backend?.remove();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  async function someLifeOfAnAccount(url: string): Promise<void> {
    const client = new ApiClient(url, '127.0.0.1');
    const inbox = new Inbox(client);
    const { email, username } = registration;
    const headers = { traceparent: `00-${trace.id}-${trace.caller}-01` };
    const register = (body: object) => client.post('/auth/register', body, { headers });
    expect((await register(registration)).status).toBe(201);
    expect((await client.post('/auth/register', newRegistration({ username }))).status).toBe(422);
    const { otp } = await inbox.waitFor(email, 'email-verification');
    await client.post('/auth/verify-otp', { email, otp });
    await client.post('/auth/login', { login: email, password: 'Wrong-pass1' });
    const apiKey = /API key +(\S+)/.exec(service.output)?.[1] as string;
    const first = (await client.post('/auth/login', { login: email, password: PASSWORD })).body.data;
    const next = (await client.post('/auth/refresh-token', { refresh_token: first.refresh_token })).body.data;
    const bearer = next.token as string;
    for (let i = 0; i < 3; i += 1) await client.get('/api/profile', { bearer, apiKey });
    const other = newRegistration();
    expect((await client.post('/auth/register', other)).status).toBe(201);
    const renamed = await client.patch('/api/profile', { username: other.username }, { bearer, apiKey });
    expect([renamed.status, renamed.body.code]).toEqual([422, 'validation_failed']);
    await client.get(`/api/users?search=${encodeURIComponent(email)}`, { bearer, apiKey });
    await client.get(`/not-me?token=${next.refresh_token}`);
    await fetch(`${url}/%zz?token=${next.refresh_token}`);
    const heads = pipelined.map(({ request, id }, i) => {
      const end = i === pipelined.length - 1 ? 'Connection: close\r\n' : '';
      return `${request} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n${end}traceparent: 00-${id}-${trace.caller}-01\r\n\r\n`;
    });
    expect((await exchange(url, heads.join(''))).match(/HTTP\/1\.1 \d+/g)?.length).toBe(pipelined.length);
    await client.post('/auth/its-not-me', { refresh_token: next.refresh_token }, { bearer });
    const { token: resetToken } = await inbox.waitFor(email, 'security-alert');
    const password = { password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD };
    expect((await client.post('/auth/reset-password', { token: resetToken, ...password })).status).toBe(200);
    Object.assign(secrets, {
      email,
      encodedEmail: encodeURIComponent(email),
      username,
      otherEmail: other.email,
      otherUsername: other.username,
      PASSWORD,
      NEW_PASSWORD,
      apiKey,
    });
    Object.assign(secrets, {
      resetToken,
      otp: `"${otp}"`,
      accessToken: first.token,
      refreshToken: first.refresh_token,
    });
    Object.assign(secrets, { nextAccessToken: bearer, nextRefreshToken: next.refresh_token });
  }

  it('is a registration one trace, of HTTP and the database below it, that continues its caller’s', () => {
    const registrationSpans = spans.filter(({ traceId }) => traceId === trace.id);
    const [root, ...others] = registrationSpans.filter(({ scope }) => scope.endsWith('-http'));
    expect(others).toEqual([]);
    expect(root).toMatchObject({ name: 'POST /auth/register', parentSpanId: trace.caller });
    expect(attribute(root!, 'http.route')).toBe('/auth/register');
    const commands = registrationSpans.filter(({ scope }) => scope.endsWith('-mongodb'));
    expect(commands.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['insert users', 'insert auths', 'insert mails', 'commitTransaction $cmd']),
    );
    expect(new Set(commands.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([root!.spanId]));
  });

  it('bear the lines of the log the trace that they belong to', () => {
    const lines = service.output.split('\n').filter((line) => line.startsWith('{'));
    const ofRegistration = lines.map((line) => JSON.parse(line)).filter(({ trace_id }) => trace_id === trace.id);
    expect(ofRegistration.map(({ msg, route, kind }) => [msg, route ?? kind])).toEqual([
      ['security event', 'user_created'],
      ['request', '/auth/register'],
    ]);
  });

  it('bear the lines of pipelined requests their own trace, and not that of the one before', () => {
    const lines = service.output.split('\n').filter((line) => line.startsWith('{'));
    const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    for (const { request, id } of pipelined) {
      const own = requests.filter(({ trace_id }) => trace_id === id);
      expect(own.map(({ method, route }) => `${method} ${route}`)).toEqual([request]);
      const [span] = spans.filter(({ traceId, scope }) => traceId === id && scope.endsWith('-http'));
      expect(span?.name).toBe(request);
    }
  });

  it('holds no span a password, code, token, name or address', () => {
    expect(spans.length).toBeGreaterThan(50);
    for (const [what, secret] of Object.entries(secrets)) expect(secret, what).toMatch(/.{6}/);
    // Without what is random: a code of six digits may be in there.
    const tellings = spans.map(({ name, attributes, events }) => ({
      name,
      text: JSON.stringify({ attributes, events }),
    }));
    const leaks = tellings.flatMap(({ name, text }) =>
      Object.entries(secrets)
        .filter(([, secret]) => text.includes(secret))
        .map(([what]) => `${name}: ${what}`),
    );
    expect(leaks).toEqual([]);
  });

  it('tells what a duplicate repeats in one place alone: the status that the database gives the failed command', () => {
    const telling = spans.filter(({ status }) =>
      Object.values(secrets).some((secret) => status.message?.includes(secret)),
    );
    expect(telling.map(({ name }) => name)).toEqual(['findAndModify $cmd']);
    expect(telling[0]!.status.message).toContain('E11000');
  });

  it('are the queries of URLs taken out', () => {
    const queries = spans.map((span) => attribute(span, 'url.query')).filter((query) => query !== undefined);
    expect(queries.length).toBeGreaterThan(3);
    expect(new Set(queries)).toEqual(new Set(['REDACTED']));
  });
});
