import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KnownDevicesRepository, LocationFinder } from '../../src/login-history/index.js';
import { cityDatabaseOf } from '../support/city-database.js';
import { DAY } from '../support/manual-clock.js';
import { PASSWORD } from '../support/personas.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

describe('Login', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
    await test.app.get(LocationFinder).preload();
  });
  afterAll(() => test.close());

  it('succeeds by username and by e-mail, in any case', async () => {
    const { registration } = await test.personas.confirmed();
    const { username, email } = registration;
    for (const login of [username, email, username.toUpperCase(), email.toUpperCase()]) {
      const { status, body } = await test.client().post('/auth/login', { login, password: PASSWORD });
      expect(status, login).toBe(200);
      expect(body).toEqual({
        status_code: 200,
        status: 'SUCCESS',
        message: expect.any(String),
        data: {
          user: {
            _id: expect.stringMatching(/^[0-9a-f]{24}$/),
            username,
            email,
            last_name: 'Lovelace',
            first_name: 'Ada',
          },
          token: expect.any(String),
          refresh_token: expect.any(String),
          expires_in: 3600,
        },
      });
    }
  });

  it('issues tokens that name user and session and nothing more', async () => {
    const user = await test.personas.user();
    const part = (token: string, index: number) =>
      JSON.parse(Buffer.from(token.split('.')[index] as string, 'base64url').toString());
    expect(part(user.token, 0)).toEqual({ alg: 'HS256', typ: 'at+jwt' });
    expect(part(user.refresh_token, 0)).toEqual({ alg: 'HS256', typ: 'rt+jwt' });
    const access = part(user.token, 1);
    expect(Object.keys(access).sort()).toEqual(['aud', 'exp', 'iat', 'id', 'iss', 'jti', 'sid']);
    expect(access.id).toBe(user.userId);
    expect(access.exp - access.iat).toBe(3600);
    const refresh = part(user.refresh_token, 1);
    expect(refresh.exp - refresh.iat).toBe(7 * 86_400);
  });

  it('issues different tokens within one second', async () => {
    const user = await test.personas.user();
    const [a, b] = await Promise.all([test.personas.login(user), test.personas.login(user)]);
    expect(a.token).not.toBe(b.token);
    expect(a.refresh_token).not.toBe(b.refresh_token);
  });

  it('answers an unknown name and a wrong password alike', async () => {
    const { registration } = await test.personas.confirmed();
    const unknown = await test.client().post('/auth/login', { login: 'nobody_at_all', password: PASSWORD });
    const wrong = await test.client().post('/auth/login', { login: registration.username, password: 'Wrong-pass1' });
    expect(wrong.status).toBe(401);
    expect(wrong.body).toEqual({
      status_code: 401,
      status: 'ERROR',
      code: 'invalid_credentials',
      message: 'Invalid credentials',
      attempts_remaining: 4,
    });
    expect(unknown.status).toBe(401);
    expect(unknown.text).toBe(wrong.text);
    expect([...unknown.headers.keys()].sort()).toEqual([...wrong.headers.keys()].sort());
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Bearer realm=/);
  });

  it('refuses an unconfirmed address, but only after the right password', async () => {
    const { registration } = await test.personas.visitor();
    const login = registration.username;
    const right = await test.client().post('/auth/login', { login, password: PASSWORD });
    expect(right.status).toBe(403);
    expect(right.body).toEqual({
      status_code: 403,
      status: 'ERROR',
      code: 'email_not_verified',
      message: 'Email not verified',
      resend_available_at: expect.any(String),
    });
    const wrong = await test.client().post('/auth/login', { login, password: 'Wrong-pass1' });
    expect(wrong.status).toBe(401);
  });

  it('tells from when on an unconfirmed user can get another code', async () => {
    const { registration } = await test.personas.visitor();
    const { email, username: login } = registration;
    await test.inbox.waitFor(email, 'email-verification');
    const { body } = await test.client().post('/auth/login', { login, password: PASSWORD });
    const waitMs = Date.parse(body.resend_available_at) - test.clock.nowMs();
    expect(waitMs).toBeGreaterThan(0);
    const mails = () => test.database.collection('mails').countDocuments({ to: email });
    test.clock.advance(waitMs - 5_000);
    await test.client().post('/auth/resend-otp', { email });
    expect(await mails()).toBe(1);
    test.clock.advance(5_000);
    await test.client().post('/auth/resend-otp', { email });
    expect(await mails()).toBe(2);
  });

  it('refuses disabled and deleted accounts like a wrong password', async () => {
    for (const [collection, change] of [
      ['auths', { disabled_at: new Date() }],
      ['users', { deleted_at: new Date() }],
    ] as const) {
      const user = await test.personas.user();
      const filter = collection === 'auths' ? 'user' : '_id';
      const { _id } = (await test.database.collection('users').findOne({ username: user.registration.username })) ?? {};
      await test.database.collection(collection).updateOne({ [filter]: _id }, { $set: change });
      const { status, body } = await test
        .client()
        .post('/auth/login', { login: user.registration.username, password: PASSWORD });
      expect(status).toBe(401);
      expect(body.code).toBe('invalid_credentials');
    }
  });

  it('takes the same password typed in another Unicode form', async () => {
    const { registration } = await test.personas.confirmed({
      password: 'Caf\u00e9-1@bcd',
      password_confirmation: 'Caf\u00e9-1@bcd',
    });
    const { status } = await test
      .client()
      .post('/auth/login', { login: registration.username, password: 'Cafe\u0301-1@bcd' });
    expect(status).toBe(200);
  });

  it('refuses what is no login', async () => {
    for (const body of [
      {},
      { login: 'a' },
      { password: 'b' },
      { login: { $ne: null }, password: { $ne: null } },
      { login: ['a'], password: 'b' },
      { login: '', password: '' },
      { login: 'a', password: '' },
      { login: 'a', password: 'x'.repeat(1025) },
      { login: 'a\u0000', password: 'b' },
      { login: 'a', password: 'b', device: null },
    ]) {
      const { status, body: answer } = await test.client().post('/auth/login', body);
      expect(status, JSON.stringify(body)).toBe(422);
      expect(answer.code).toBe('validation_failed');
    }
  });

  describe('in the login history', () => {
    const entryOf = async (username: string) => {
      const user = await test.database.collection('users').findOne({ username });
      return test.database.collection('login_histories').findOne({ user: user?._id });
    };

    let directory: string;
    beforeAll(() => {
      directory = mkdtempSync(join(tmpdir(), 'places-'));
    });
    afterAll(() => rmSync(directory, { recursive: true, force: true }));

    const placeOfLogin = async ({ personas, client, database }: TestApp, address = '8.8.8.8') => {
      const { registration } = await personas.confirmed();
      const body = { login: registration.username, password: PASSWORD };
      expect((await client(address).post('/auth/login', body)).status).toBe(200);
      return (await database.collection('login_histories').findOne({ ip: address }))?.locations;
    };

    it('is recorded with address, device and place', async () => {
      const { registration } = await test.personas.confirmed();
      const client = test.client('8.8.8.8');
      await client.request('/auth/login', {
        method: 'POST',
        body: { login: registration.username, password: PASSWORD },
        headers: { 'user-agent': FIREFOX },
      });
      const entry = await entryOf(registration.username);
      expect(entry).toMatchObject({
        ip: '8.8.8.8',
        user_agent: FIREFOX,
        devices: {
          browser: { name: 'Firefox', version: '128.0', major: '128' },
          os: { name: 'Linux' },
          source: 'desktop',
        },
        locations: { country: 'US', region: 'California', city: 'Mountain View', timezone: 'America/Los_Angeles' },
        login_at: expect.any(Date),
      });
      expect(entry?.auth).toBeDefined();
    });

    it('tells a telephone from a desktop', async () => {
      const { registration } = await test.personas.confirmed();
      await test.client().request('/auth/login', {
        method: 'POST',
        body: { login: registration.username, password: PASSWORD },
        headers: { 'user-agent': IPHONE },
      });
      expect((await entryOf(registration.username))?.devices).toMatchObject({
        browser: { name: 'Mobile Safari' },
        os: { name: 'iOS', version: '17.5' },
        platform: 'Apple iPhone',
        source: 'mobile',
      });
    });

    it('has no place for private addresses, and cuts an endless user agent', async () => {
      const { registration } = await test.personas.confirmed();
      await test.client('10.1.2.3').request('/auth/login', {
        method: 'POST',
        body: { login: registration.username, password: PASSWORD },
        headers: { 'user-agent': 'x'.repeat(8_000) },
      });
      const entry = await entryOf(registration.username);
      expect(entry).toMatchObject({ ip: '10.1.2.3' });
      expect(entry).not.toHaveProperty('locations');
      expect(entry?.user_agent.length).toBe(512);
    });

    it('has no place where the operator wants none', async () => {
      const placeless = await startTestApp({ env: { GEOIP_DB: 'off' } });
      try {
        const { registration } = await placeless.personas.confirmed();
        const client = placeless.client('8.8.8.8');
        await client.post('/auth/login', { login: registration.username, password: PASSWORD });
        const entry = await placeless.database.collection('login_histories').findOne({ ip: '8.8.8.8' });
        expect(entry?.login_at).toBeDefined();
        expect(entry).not.toHaveProperty('locations');
      } finally {
        await placeless.close();
      }
    });

    it('has the place that a database of the operator’s own tells', async () => {
      const file = join(directory, 'own.mmdb');
      writeFileSync(
        file,
        cityDatabaseOf({
          country: { iso_code: 'FR' },
          subdivisions: [{ names: { en: 'Île-de-France' } }, { names: { en: 'Paris' } }],
          city: { names: { en: 'Paris', fr: 'Lutèce' } },
          location: { latitude: 48.86, longitude: 2.35 },
        }),
      );
      const elsewhere = await startTestApp({ env: { GEOIP_DB: file } });
      try {
        expect(await placeOfLogin(elsewhere)).toEqual({
          country: 'FR',
          region: 'Île-de-France',
          city: 'Paris',
          timezone: 'Europe/Paris',
        });
        for (const address of ['10.1.2.3', '100.64.0.1'])
          expect(await placeOfLogin(elsewhere, address), 'whatever it tells of them').toBeUndefined();
        expect(await placeOfLogin(elsewhere, '2001:200::1'), 'it knows IPv4 alone').toBeUndefined();
      } finally {
        await elsewhere.close();
      }
    });

    it('has as much of a place as is told', async () => {
      const location = { latitude: 48.86, longitude: 2.35 };
      const names = { en: 'Paris' };
      for (const [told, place] of [
        [{ country: { iso_code: 'FR' } }, { country: 'FR' }],
        [{ country: { iso_code: '' }, city: { names } }, { city: 'Paris' }],
        [{ subdivisions: [{ names }], location: { latitude: 48.86 } }, { region: 'Paris' }],
        [{ location: { ...location, time_zone: 'Europe/Berlin' } }, { timezone: 'Europe/Berlin' }],
        [{ postal: { code: '75001' } }, undefined],
        // Another layout than MaxMind's.
        [{ city: 'Paris' }, undefined],
      ]) {
        const geoipFile = join(directory, 'partial.mmdb');
        writeFileSync(geoipFile, cityDatabaseOf(told as object));
        const elsewhere = await startTestApp({ env: { GEOIP_DB: geoipFile } });
        expect(await placeOfLogin(elsewhere)).toEqual(place);
        await elsewhere.close();
      }
    });

    it('has no place where the data cannot be read, or takes its time, and the login does not wait for it', async () => {
      const [slow, broken] = [join(directory, 'slow.mmdb'), join(directory, 'broken.mmdb')];
      execFileSync('mkfifo', [slow]);
      writeFileSync(broken, 'no database');
      for (const geoipFile of [slow, broken, join(directory, 'gone.mmdb')]) {
        const placeless = await startTestApp({ adjust: (config) => ({ ...config, geoipFile }) });
        try {
          expect(await placeOfLogin(placeless), geoipFile).toBeUndefined();
          // Whoever reads it is at its end then; opened so, a pipe that nobody reads holds nobody up.
          if (geoipFile === slow) closeSync(openSync(slow, 'r+'));
          await placeless.app.get(LocationFinder).preload();
        } finally {
          await placeless.close();
        }
      }
    });

    it('holds hashes of the tokens, and expires after 90 days', async () => {
      const user = await test.personas.user();
      const entry = await entryOf(user.registration.username);
      expect(entry?.token).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(entry?.refresh_token).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(JSON.stringify(entry)).not.toContain(user.token);
      const indexes = await test.database.collection('login_histories').indexes();
      expect(indexes).toContainEqual(expect.objectContaining({ key: { login_at: 1 }, expireAfterSeconds: 7_776_000 }));
    });
  });

  describe('from a new device', () => {
    const login = (registration: { username: string }, address: string, userAgent: string) =>
      test.client(address).request('/auth/login', {
        method: 'POST',
        body: { login: registration.username, password: PASSWORD },
        headers: { 'user-agent': userAgent },
      });
    const notices = async (email: string) =>
      await test.database.collection('mails').countDocuments({ to: email, kind: 'new-device' });

    it('is told to the owner, but not the first login of all, nor a known device', async () => {
      const { registration } = await test.personas.confirmed();
      await login(registration, '81.2.69.160', FIREFOX);
      await login(registration, '81.2.69.161', FIREFOX);
      expect(await notices(registration.email)).toBe(0);

      await login(registration, '8.8.8.8', IPHONE);
      const mail = await test.inbox.waitFor(registration.email, 'new-device');
      for (const part of [mail.text, mail.html]) {
        expect(part).toContain('Mobile Safari on iOS');
        expect(part).toContain('Mountain View, California, US');
        expect(part).toContain('8.8.8.8');
        expect(part).toMatch(/\d{1,2} [A-Z][a-z]+ \d{4}, \d{2}:\d{2} UTC/);
      }
      await login(registration, '8.8.8.8', IPHONE);
      expect(await notices(registration.email)).toBe(1);
    });

    it('is told though it is the only one known: the account was not used for so long that the others are forgotten', async () => {
      const { registration } = await test.personas.confirmed();
      await login(registration, '81.2.69.160', FIREFOX);
      await test.advance(91 * DAY);
      const user = await test.database.collection('users').findOne({ email: registration.email });
      await test.database.collection('known_devices').deleteMany({ user: user?._id });
      await login(registration, '8.8.8.8', IPHONE);
      await test.inbox.waitFor(registration.email, 'new-device');
    });

    it('is told of one of two first logins, however close together they are', async () => {
      for (let round = 0; round < 20; round += 1) {
        const { registration } = await test.personas.confirmed();
        const answers = await Promise.all([
          login(registration, `81.2.69.${round + 1}`, FIREFOX),
          login(registration, `8.8.4.${round + 1}`, IPHONE),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
        expect(await notices(registration.email), `round ${round}`).toBe(1);
      }
    });

    it('is told once, however many logins from it come at once', async () => {
      const { registration } = await test.personas.confirmed();
      await login(registration, '81.2.69.100', FIREFOX);
      const at = (place: number) => login(registration, `8.8.4.${place + 100}`, IPHONE);
      const answers = await Promise.all(Array.from({ length: 16 }, (_, place) => at(place)));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200));
      expect(await notices(registration.email)).toBe(1);
    });

    it('does not make it known if the login is reported at that moment', async () => {
      const user = await test.personas.user();
      const devices = test.app.get(KnownDevicesRepository, { strict: false });
      const seeAgain = devices.seeAgain.bind(devices);
      const reported: number[] = [];
      devices.seeAgain = async (sighting) => {
        devices.seeAgain = seeAgain;
        const isKnown = await seeAgain(sighting);
        const { refresh_token, token } = user;
        reported.push((await test.client().post('/auth/its-not-me', { refresh_token }, { bearer: token })).status);
        return isKnown;
      };
      await login(user.registration, '8.8.4.200', IPHONE);
      expect(reported).toEqual([200]);
      const stored = await test.database.collection('users').findOne({ email: user.registration.email });
      expect(await test.database.collection('known_devices').countDocuments({ user: stored?._id })).toBe(0);
    });

    it('is told in the service’s own words, whatever the device says of itself', async () => {
      const { registration } = await test.personas.confirmed();
      await login(registration, '81.2.69.160', FIREFOX);
      const hostile = 'Mozilla/5.0 (<b>WIN http://evil.example/</b>; "><script>alert(1)</script>) {{otp}} Evil/1.0';
      await login(registration, '8.8.8.8', hostile);
      const { text, html } = await test.inbox.waitFor(registration.email, 'new-device');
      for (const part of [text, html]) expect(part).not.toMatch(/[Ee]vil|WIN|script>alert|\{\{/);
    });
  });
});
