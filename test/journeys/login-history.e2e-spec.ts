import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocationFinder } from '../../src/login-history/index.js';
import { cityDatabaseOf } from '../support/city-database.js';
import { PASSWORD } from '../support/personas.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { FIREFOX, IPHONE } from '../support/user-agents.js';

describe('A login in the login history', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
    await test.app.get(LocationFinder).preload();
  });
  afterAll(() => test.close());

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
      const { registration } = await elsewhere.personas.user();
      await elsewhere.client('8.8.8.8').post('/auth/login', { login: registration.username, password: PASSWORD });
      const { text, html } = await elsewhere.inbox.waitFor(registration.email, 'new-device');
      for (const part of [text, html]) {
        expect(part).toContain('Paris, Île-de-France, FR');
        expect(part, 'whose data it is not').not.toContain('DB-IP');
      }
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
      // Without names in English, and with a place that is none.
      [
        { country: { iso_code: 'FR' }, subdivisions: [{ iso_code: 'IDF' }], city: { geoname_id: 5 } },
        { country: 'FR' },
      ],
      [{ country: { iso_code: 'FR' }, location: { latitude: 148.8, longitude: 2.3 } }, { country: 'FR' }],
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
