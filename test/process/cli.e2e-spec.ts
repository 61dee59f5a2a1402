import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { Inbox } from '../support/inbox.js';
import { Personas } from '../support/personas.js';
import { ServiceProcess } from '../support/service-process.js';

const CLI = join(import.meta.dirname, '..', '..', 'dist', 'cli.js');

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

  const cli = (...args: string[]) =>
    new Promise<{ code: number; output: string; errors: string }>((resolve) => {
      const env = { PATH: process.env.PATH, DATA_DIR: directory };
      execFile(process.execPath, [CLI, ...args], { env }, (error, output, errors) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, output, errors }),
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
    const user = await new Personas(() => client, new Inbox(client)).user();
    const ended = await cli('revoke-sessions', user.registration.email, '--json');
    expect(JSON.parse(ended.output)).toEqual({ user: user.userId, ended: 1 });
    const { status, body } = await client.post('/auth/refresh-token', { refresh_token: user.refresh_token });
    expect([status, body.code]).toEqual([401, 'session_revoked']);
  });

  it('list the mails that have not left', async () => {
    expect((await cli('list-mails')).output).toBe('All mails have left\n');
  });

  it('explain themselves, and what went wrong', async () => {
    expect(await cli('--help')).toMatchObject({ code: 0, output: expect.stringContaining('grant-admin <email>') });
    for (const args of [
      [],
      ['nothing'],
      ['grant-admin'],
      ['list-mails', 'x'],
      ['grant-admin', 'a', 'b'],
      ['--nothing'],
      ['constructor'],
    ]) {
      expect((await cli(...args)).code, args.join(' ')).toBe(2);
    }
    expect(await cli('grant-admin', 'nobody@example.com')).toEqual({
      code: 1,
      output: '',
      errors: 'There is no account with the address nobody@example.com\n',
    });
  });
});
