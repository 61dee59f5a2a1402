import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { Inbox } from '../support/inbox.js';
import { Personas } from '../support/personas.js';
import { startRedis } from '../support/redis-server.js';
import { DIST, ServiceProcess } from '../support/service-process.js';

const CLI = join(DIST, 'cli.js');

describe('The operator’s commands, beside a running service,', () => {
  const directory = mkdtempSync(join(tmpdir(), 'accounts-'));
  let service: ServiceProcess;
  let client: ApiClient;
  let apiKey: string;
  beforeAll(async () => {
    service = new ServiceProcess({ DATA_DIR: directory, AUTH_RATE_LIMIT: '100' });
    client = new ApiClient(await service.started(), '');
    apiKey = /API key +(\S+)/.exec(service.output)?.[1] as string;
  });
  afterAll(async () => {
    await service.kill('SIGTERM');
    rmSync(directory, { recursive: true, force: true });
  });

  const cli = (...args: string[]) => cliWith({ DATA_DIR: directory }, ...args);
  const cliWith = (settings: Record<string, string>, ...args: string[]) =>
    new Promise<{ code: number; output: string; errors: string }>((resolve) => {
      const env = { PATH: process.env.PATH, ...settings };
      execFile(process.execPath, [CLI, ...args], { env, timeout: 20_000 }, (error, output, errors) =>
        resolve({ code: error ? Number(error.code ?? NaN) : 0, output, errors }),
      );
    });

  it('make and unmake an administrator, at once', async () => {
    const user = await new Personas(() => client, new Inbox(client)).user();
    const events = () => client.get('/api/security-events', { apiKey, bearer: user.token });
    expect((await events()).status).toBe(403);
    const granted = await cli('grant-admin', user.registration.email.toUpperCase());
    expect(granted).toEqual({ code: 0, output: expect.stringMatching(/is an administrator\n$/), errors: '' });
    expect((await events()).body.data.content).toContainEqual(
      expect.objectContaining({ kind: 'user_role_changed', user: user.userId }),
    );
    expect((await cli('revoke-admin', user.registration.email)).code).toBe(0);
    expect((await events()).status).toBe(403);
  });

  it('end the sessions of an account', async () => {
    const personas = new Personas(() => client, new Inbox(client));
    const user = await personas.user();
    const ended = await cli('revoke-sessions', user.registration.email, '--json');
    expect(JSON.parse(ended.output)).toEqual({ user: user.userId, ended: 1 });
    const { status, body } = await client.post('/auth/refresh-token', { refresh_token: user.refresh_token });
    expect([status, body.code]).toEqual([401, 'session_revoked']);

    await cli('grant-admin', user.registration.email);
    const { token } = await personas.login(user);
    const events = await client.get('/api/security-events?kind=authn_token_revoked', { apiKey, bearer: token });
    expect(events.body.data.content).toEqual([
      expect.objectContaining({ user: user.userId, by: null, session: null, detail: 'cli: all sessions' }),
    ]);
  });

  it('erase an account for good, once it is deleted', async () => {
    const personas = new Personas(() => client, new Inbox(client));
    const [admin, user] = [await personas.user(), await personas.user()];
    const { email, username } = user.registration;
    await cli('grant-admin', admin.registration.email);
    expect(await cli('erase-account', email)).toMatchObject({
      code: 1,
      errors: `${email} is not deleted: DELETE /api/users/${user.userId} comes first\n`,
    });
    const credentials = { apiKey, bearer: admin.token };
    expect((await client.delete(`/api/users/${user.userId}`, credentials)).status).toBe(200);
    const erased = await cli('erase-account', email);
    expect(erased).toEqual({ code: 0, output: `The account ${user.userId} was erased\n`, errors: '' });
    expect((await client.get(`/api/users/${user.userId}`, credentials)).status).toBe(404);
    expect((await cli('erase-account', email)).code).toBe(1);
    const again = await client.post('/auth/register', { ...user.registration, username, email });
    expect(again.status).toBe(201);
  });

  it('issue, list, replace and revoke API keys', async () => {
    const user = await new Personas(() => client, new Inbox(client)).user();
    const profile = async (key: string) =>
      (await client.get('/api/profile', { apiKey: key, bearer: user.token })).body.code ?? 'let in';

    const issued = await cli('issue-api-key', 'web-shop');
    expect(issued).toEqual({ code: 0, output: expect.stringMatching(/^ak_[0-9a-f]{24}_[\w-]{43}\n$/), errors: '' });
    const key = issued.output.trim();
    expect(await profile(key)).toBe('let in');
    const other = JSON.parse((await cli('issue-api-key', 'billing', '--json')).output);
    expect(other).toEqual({ _id: expect.stringMatching(/^[0-9a-f]{24}$/), name: 'billing', key: expect.any(String) });

    const taken = await cli('issue-api-key', 'web-shop');
    expect(taken).toEqual({ code: 1, output: '', errors: 'name is already taken\n' });
    expect((await cli('issue-api-key', 'development')).errors).toBe('name is already taken\n');
    expect(await cli('issue-api-key', 'web shop', '--json')).toEqual({
      code: 1,
      output: '',
      errors: '{"error":"name must be 1 to 64 letters, digits, dots, underscores or hyphens"}\n',
    });

    const prefix = key.slice(0, 27);
    await expect
      .poll(async () => (await cli('list-api-keys')).output, { timeout: 20_000 })
      .toMatch(new RegExp(`^billing  ak_\\w+  last used never\nweb-shop  ${prefix}  last used 20.+\n$`));
    const listed = await cli('list-api-keys', '--json');
    expect(JSON.parse(listed.output)).toMatchObject([
      { name: 'billing' },
      { name: 'web-shop', prefix, created_by: null },
    ]);
    for (const secret of [key, other.key]) expect(listed.output).not.toContain(secret);

    // This one the running service has not cached: it is refused at once.
    expect(await cli('revoke-api-key', 'billing')).toEqual({
      code: 0,
      output: expect.stringMatching(/^The API key billing was revoked \(ak_[0-9a-f]{24}\)\n$/),
      errors: '',
    });
    expect(await profile(other.key)).toBe('invalid_api_key');
    expect(await profile(key)).toBe('let in');
    expect(await cli('revoke-api-key', 'billing')).toMatchObject({
      code: 1,
      errors: 'There is no issued API key of the name billing\n',
    });

    const replaced = JSON.parse((await cli('issue-api-key', 'ledger', '--json')).output);
    const rotated = JSON.parse((await cli('rotate-api-key', 'ledger', '--json')).output);
    expect(rotated).toEqual({ _id: replaced._id, name: 'ledger', key: expect.any(String) });
    expect(await profile(replaced.key)).toBe('invalid_api_key');
    expect(await profile(rotated.key)).toBe('let in');
    expect(await cli('rotate-api-key', 'billing')).toMatchObject({
      code: 1,
      errors: 'There is no issued API key of the name billing\n',
    });

    for (const name of ['ledger', 'web-shop']) expect((await cli('revoke-api-key', name)).code).toBe(0);
    expect((await cli('list-api-keys')).output).toBe('No API key was issued\n');

    await cli('grant-admin', user.registration.email);
    const events = await client.get('/api/security-events?kind=api_key_changed', { apiKey, bearer: user.token });
    expect(events.body.data.content.map(({ detail }: { detail: string }) => detail.split(' ').slice(0, 2))).toEqual([
      ['revoked', 'web-shop'],
      ['revoked', 'ledger'],
      ['rotated', 'ledger'],
      ['issued', 'ledger'],
      ['revoked', 'billing'],
      ['issued', 'billing'],
      ['issued', 'web-shop'],
    ]);
  });

  it('list the mails that have not left', async () => {
    expect((await cli('list-mails')).output).toBe('All mails have left\n');
  });

  it('act on the store that is there, and make none', async () => {
    const elsewhere = join(directory, 'elsewhere');
    const { code, errors } = await cliWith({ DATA_DIR: elsewhere }, 'list-mails');
    expect(errors).toBe(
      `It failed: There is no store in ${join(elsewhere, 'mongodb')}: set DATA_DIR or MONGODB_URI, as the service has it\n`,
    );
    expect(code).toBe(1);
    expect(existsSync(elsewhere)).toBe(false);
    const inTest = await cliWith({ DATA_DIR: directory, NODE_ENV: 'test' }, 'list-mails');
    expect(inTest).toMatchObject({
      code: 1,
      errors: expect.stringContaining('a store of its own, which no command reaches'),
    });
  });

  it.for([
    ['', 0, /^Redis .+\n$/],
    ['> /dev/full', 3, /^The answer, of what was done, cannot be written: .+\n$/m],
  ] as const)(
    'do not end before no service can go on with what was before, though Redis was away %s',
    async ([to, code, more], { skip }) => {
      const redis = await startRedis();
      if (!redis || (to && !existsSync('/dev/full'))) return skip();
      onTestFinished(() => redis.stop());
      const { registration } = await new Personas(() => client, new Inbox(client)).user();
      await redis.send('CLIENT', 'PAUSE', '60000', 'WRITE');
      const env = { PATH: process.env.PATH, DATA_DIR: directory, REDIS_URL: redis.url };
      const child = spawn('sh', ['-c', `"${process.execPath}" "${CLI}" revoke-sessions ${registration.email} ${to}`], {
        env,
      });
      let [output, errors] = ['', ''];
      child.stdout.on('data', (data) => (output += data));
      child.stderr.on('data', (data) => (errors += data));
      const ended = once(child, 'close');
      await expect.poll(() => errors, { timeout: 20_000 }).toContain('Redis does not answer: waiting until no service');
      await pause(500);
      expect(child.exitCode).toBeNull();
      await redis.send('CLIENT', 'UNPAUSE');
      expect(await ended).toEqual([code, null]);
      expect(output).toMatch(to ? /^$/ : /^1 session/);
      expect(errors).toMatch(more);
    },
  );

  it.skipIf(!existsSync('/dev/full'))('say that they are done when their answer cannot be written', async () => {
    const command = `"${process.execPath}" "${CLI}" list-mails > /dev/full`;
    const env = { PATH: process.env.PATH, DATA_DIR: directory };
    const { code, stderr } = await promisify(execFile)('sh', ['-c', command], { env }).catch((error) => error);
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^The answer, of what was done, cannot be written: .+\n$/),
    ]);
  });

  it('do not wait for a service that hangs', async () => {
    process.kill(service.pid, 'SIGSTOP');
    try {
      const { code, errors } = await cli('list-mails');
      expect([code, errors]).toEqual([1, expect.stringMatching(/^It failed: .*timed out/)]);
    } finally {
      process.kill(service.pid, 'SIGCONT');
    }
  });

  it('do not wait for a database that is away', async () => {
    const MONGODB_URI = `mongodb://${encodeURIComponent(join(directory, 'nobody.sock'))}/accounts`;
    const { code, errors } = await cliWith({ DATA_DIR: directory, MONGODB_URI }, 'list-mails');
    expect(errors).toMatch(/^It failed: The database of MONGODB_URI does not answer: .+\n$/);
    expect(code).toBe(1);
  });

  it('explain themselves, and what went wrong', async () => {
    expect(await cli('--help')).toMatchObject({ code: 0, output: expect.stringContaining('grant-admin <email|id>') });
    expect(await cli()).toEqual({ code: 2, output: '', errors: expect.stringContaining('grant-admin <email|id>') });
    expect(await cli('nothing', '--json')).toEqual({
      code: 2,
      output: '',
      errors: '{"error":"There is no command \\"nothing\\". npm run cli -- --help lists them."}\n',
    });
    expect(await cli('grant-admin', 'nobody@example.com')).toEqual({
      code: 1,
      output: '',
      errors: 'There is no account with the address or id nobody@example.com\n',
    });
  });
});
