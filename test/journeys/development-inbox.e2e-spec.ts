import { setTimeout as pause } from 'node:timers/promises';
import { Types } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DevelopmentInbox } from '../../src/dev-tools/inbox/development-inbox.js';
import { MailInbox, type ReceivedMail } from '../../src/mail/index.js';
import { DAY, HOUR, MINUTE, SECOND } from '../support/manual-clock.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describe('The development inbox', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  beforeEach(async () => {
    expect((await test.client().delete('/dev/state')).status).toBe(200);
  });
  afterAll(() => test.close());

  const receive = (mail: Partial<ReceivedMail>) =>
    test.app.get(MailInbox, { strict: false }).receive({
      id: new Types.ObjectId().toHexString(),
      kind: 'password-changed',
      to: 'ada@example.com',
      subject: 'Subject',
      html: '<p>Text</p>',
      text: 'Text',
      otp: null,
      token: null,
      link: null,
      ...mail,
    });
  const cursorsOf = async (to: string) => (await test.inbox.mailsTo(to)).map(({ cursor }) => cursor);
  const page = async (query = '') => (await test.client().get(`/dev/inbox${query}`)).text;
  const subjectsOn = (text: string) => [...text.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, subject]) => subject);

  it('gives mails that arrive at the same moment each a place of its own, and one that arrives twice its first', async () => {
    const to = 'Crowd@example.com';
    await Promise.all(Array.from({ length: 30 }, () => receive({ to })));
    expect(await cursorsOf('crowd@EXAMPLE.com')).toEqual(Array.from({ length: 30 }, (_, i) => 30 - i));
    const twice = { to: 'twice@example.com', id: new Types.ObjectId().toHexString() };
    for (const mail of [twice, { to }, twice]) await receive(mail);
    expect(await cursorsOf(twice.to)).toEqual([31]);
  });

  it('says what it could not store, and does not try for ever', async () => {
    await expect(receive({ id: 'no id' })).rejects.toThrow();
  });

  it('shows the fifty newest, and tells of how many', async () => {
    const to = 'many@example.com';
    for (let mail = 1; mail <= 51; mail += 1) await receive({ to, subject: `Mail ${mail}` });
    const newest = Array.from({ length: 50 }, (_, i) => 51 - i);
    expect(await cursorsOf(to)).toEqual(newest);
    const shown = await page();
    expect(subjectsOn(shown)).toEqual(newest.map((mail) => `Mail ${mail}`));
    expect(shown).toContain('Showing 50 of 51, newest first');
    expect(await page(`?address=${to}`)).toContain(`Showing 50 of 51 to “${to}”, newest first`);
    const { body } = await test.client().get(`/dev/inbox/next?to=${to.toUpperCase()}&timeout_seconds=0`);
    expect(body.data).toMatchObject({ subject: 'Mail 1', cursor: 1 });
  });

  it('is filtered by the address that somebody types, in any case; an empty one is none', async () => {
    await receive({ subject: 'To Ada' });
    await receive({ to: 'eve@example.com', subject: 'To Eve' });
    expect(subjectsOn(await page('?address=Ada@example.com'))).toEqual(['To Ada']);
    expect(subjectsOn(await page('?address='))).toEqual(['To Eve', 'To Ada']);
  });

  it('is looked into no more once nobody waits', async () => {
    const look = vi.spyOn(test.app.get(DevelopmentInbox) as unknown as { findNext(): unknown }, 'findNext');
    const gone = new AbortController();
    const path = `${test.url}/dev/inbox/next?to=nobody@example.com&timeout_seconds=25`;
    const waiting = fetch(path, { signal: gone.signal });
    await expect.poll(() => look.mock.calls.length).toBeGreaterThan(0);
    gone.abort();
    await expect(waiting).rejects.toThrow('aborted');
    await pause(600);
    const looks = look.mock.calls.length;
    await pause(600);
    expect(look.mock.calls.length).toBe(looks);
    look.mockRestore();
  });

  it('tells at once of a mail that comes, and keeps each for a week', async () => {
    const look = vi.spyOn(test.app.get(DevelopmentInbox) as unknown as { findNext(): unknown }, 'findNext');
    const to = 'soon@example.com';
    const waiting = test.client().get(`/dev/inbox/next?to=${to}&timeout_seconds=25`);
    await expect.poll(() => look.mock.calls.length).toBeGreaterThan(0);
    const looks = look.mock.calls.length;
    await receive({ to, subject: 'Soon' });
    expect((await waiting).body.data.subject).toBe('Soon');
    expect(look.mock.calls.length - looks, 'not by looking again and again').toBeLessThanOrEqual(2);
    look.mockRestore();
    const indexes = await test.database.collection('dev_inbox').indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { sent_at: -1 }, expireAfterSeconds: 604_800 }));
  });

  it('is asked for addresses that can be some, and no longer than any', async () => {
    const statusOf = async (path: string) => (await test.client().get(path)).status;
    const [longest, tooLong] = [254, 255].map((length) => `${'x'.repeat(length - 2)}@x`);
    for (const query of ['?to=', '?address='])
      expect([await statusOf(`/dev/inbox${query}${longest}`), await statusOf(`/dev/inbox${query}${tooLong}`)]).toEqual([
        200, 422,
      ]);
    const next = (to?: string) => statusOf(`/dev/inbox/next?to=${to}&timeout_seconds=0`);
    expect([await next(longest), await next(tooLong)]).toEqual([404, 422]);
    expect(await statusOf('/dev/inbox?address=a&address=b')).toBe(422);
  });

  it('says how long ago a mail came', async () => {
    test.clock.freeze();
    await receive({});
    const arrivedMs = test.clock.nowMs();
    for (const [ms, words] of [
      [59 * SECOND, 'just now'],
      [MINUTE, '1 minute ago'],
      [HOUR, '1 hour ago'],
      [DAY, 'yesterday'],
    ] as const) {
      test.clock.advance(arrivedMs + ms - test.clock.nowMs());
      expect(/<time [^>]*>(.*?)<\/time>/.exec(await page())?.[1]).toBe(words);
    }
  });
});
