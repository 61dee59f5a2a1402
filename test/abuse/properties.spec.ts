import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestIdOf } from '../../src/common/http/request-id.js';
import { addressBucket, normaliseAddress } from '../../src/common/http/client-address.js';
import { PageQueryDto } from '../../src/common/pagination/page-query.dto.js';
import { RegisterDto } from '../../src/auth/registration/register.dto.js';
import { bearerToken } from '../../src/security/tokens/jwt.strategy.js';
import { newRegistration } from '../support/personas.js';

const RUNS = { numRuns: 2_000 };
const anyText = fc.string({ unit: 'binary', maxLength: 300 });

/** The fields at which a registration with this change fails. */
const failing = (change: object) =>
  validateSync(plainToInstance(RegisterDto, { ...newRegistration(), ...change })).map(({ property }) => property);

describe('Whatever the input,', () => {
  it('an accepted e-mail address is one plain ASCII address', () => {
    const nearly = fc.tuple(anyText, fc.domain()).map(([local, domain]) => `${local}@${domain}`);
    fc.assert(
      fc.property(fc.oneof(anyText, nearly, fc.emailAddress()), (email) => {
        if (failing({ email }).includes('email')) return;
        expect(email).toMatch(/^[\x21-\x7e]{1,254}$/);
        expect(email.split('@').length).toBe(2);
        expect(email).not.toMatch(/[\s,;:<>"()[\]\\]/);
        expect(email.toLowerCase().toUpperCase().toLowerCase()).toBe(email.toLowerCase());
      }),
      RUNS,
    );
  });

  it('an accepted username is 3 to 64 word characters', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.stringMatching(/^\w{1,70}\s?$/)), (username) => {
        expect(!failing({ username }).includes('username')).toBe(
          /^[A-Za-z0-9_]{3,64}$/.test(username) && !username.endsWith('\n'),
        );
      }),
      RUNS,
    );
  });

  it('an accepted password is what bcrypt sees in full', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom('', 'aA1@'), (text, classes) => {
        const password = text + classes;
        if (failing({ password, password_confirmation: password }).includes('password')) return;
        const normal = password.normalize('NFC');
        expect(Buffer.byteLength(normal)).toBeLessThanOrEqual(72);
        expect([...normal].length).toBeGreaterThanOrEqual(8);
        expect(Buffer.from(normal).toString()).toBe(normal);
        for (const part of [/[a-z]/, /[A-Z]/, /\d/, /[@$!%*?&]/]) expect(password).toMatch(part);
      }),
      RUNS,
    );
  });

  it('an accepted name has no control characters', () => {
    fc.assert(
      fc.property(anyText, (first_name) => {
        if (failing({ first_name }).includes('first_name')) return;
        expect(first_name).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Surrogate}]/u);
      }),
      RUNS,
    );
  });

  it('an accepted page is a whole number in its bounds', () => {
    const text = fc.oneof(
      anyText,
      fc.integer().map(String),
      fc.constantFrom('1e2', '0x10', ' 20', '', '+5', '９', '1.5', 'NaN', 'Infinity'),
    );
    fc.assert(
      fc.property(text, text, (page, limit) => {
        const query = plainToInstance(PageQueryDto, { page, limit });
        const errors = validateSync(query).map(({ property }) => property);
        expect(!errors.includes('page')).toBe(/^\d{1,9}$/.test(page) && Number(page) >= 1 && Number(page) <= 1_000_000);
        expect(!errors.includes('limit')).toBe(/^\d{1,9}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= 100);
        if (errors.length === 0) expect([query.page, query.limit]).toEqual([Number(page), Number(limit)]);
      }),
      RUNS,
    );
  });

  it('a bearer token has neither spaces nor commas', () => {
    const header = fc.oneof(
      anyText,
      anyText.map((text) => `Bearer ${text}`),
      anyText.map((text) => `bEaReR   ${text}`),
    );
    fc.assert(
      fc.property(header, (authorization) => {
        const token = bearerToken({ headers: { authorization } });
        if (token !== null) expect(token).toMatch(/^[^\s,]+$/);
      }),
      RUNS,
    );
  });

  it('an address is canonical: normalised once or twice, it is the same, and so is its bucket', () => {
    const address = fc.oneof(
      anyText,
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV4().map((ip) => `::ffff:${ip}`),
      fc.tuple(fc.ipV4(), fc.nat(65_535)).map(([ip, port]) => `${ip}:${port}`),
    );
    fc.assert(
      fc.property(address, (text) => {
        const once = normaliseAddress(text);
        if (once === null) return;
        expect(normaliseAddress(once)).toBe(once);
        expect(addressBucket(once)).toBe(addressBucket(normaliseAddress(text) as string));
        expect(once).not.toMatch(/[^0-9a-f:.]/);
      }),
      RUNS,
    );
  });

  it('a request id can do no harm', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(requestIdOf({ headers: { 'x-request-id': text } })).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
      }),
      RUNS,
    );
  });
});
