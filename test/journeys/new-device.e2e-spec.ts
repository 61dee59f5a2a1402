import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { KnownDevicesRepository, LocationFinder, networkOf } from '../../src/login-history/index.js';
import { AccountsRepository } from '../../src/users/index.js';
import { DAY } from '../support/manual-clock.js';
import { PASSWORD } from '../support/personas.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { FIREFOX, IPHONE } from '../support/user-agents.js';

describe('A login from a new device', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
    await test.app.get(LocationFinder).preload();
  });
  afterAll(() => test.close());

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
      expect(part).toContain('estimated from the IP address');
      expect(part, 'as its licence asks').toContain('https://db-ip.com');
      expect(part.indexOf('/not-me?'), 'whoever takes the first link').toBeLessThan(part.indexOf('https://db-ip.com'));
    }
    await login(registration, '8.8.8.8', IPHONE);
    expect(await notices(registration.email)).toBe(1);
  });

  it('is told as often as there are, however many come at once', async () => {
    const everywhere = await startTestApp({ env: { AUTH_RATE_LIMIT: '1000' } });
    const locations = everywhere.app.get(LocationFinder, { strict: false });
    await locations.preload();
    const { registration } = await everywhere.personas.user();
    const body = { login: registration.username, password: PASSWORD };
    const networks = new Set<string>();
    const logIn = async (ip: string) => {
      const { status } = await everywhere.client(ip).post('/auth/login', body);
      // Of so many at once some may be told to come again.
      if (status === 200) networks.add(networkOf(ip, await locations.find(ip)));
    };
    const accounts = everywhere.app.get(AccountsRepository);
    const lock = vi.spyOn(accounts, 'lock');
    await Promise.all(Array.from({ length: 60 }, (_, i) => logIn(`203.${i}.1.1`)));
    expect(lock.mock.calls.length, 'none is repeated because of another').toBeLessThanOrEqual(60);
    const mails = everywhere.database.collection('mails');
    expect(await mails.countDocuments({ to: registration.email, kind: 'new-device' })).toBe(networks.size);
    await everywhere.close();
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
