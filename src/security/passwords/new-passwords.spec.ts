import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../infrastructure/config/index.js';
import { Metrics } from '../../infrastructure/observability/index.js';
import { NewPasswords } from './new-passwords.js';
import { PasswordBlocklist } from './password-blocklist.js';
import { PasswordHasher } from './password-hasher.js';

describe('NewPasswords', () => {
  const directory = mkdtempSync(join(tmpdir(), 'accounts-'));
  let hasher: PasswordHasher;
  let newPasswords: NewPasswords;
  beforeAll(() => {
    const blocklistFile = join(directory, 'blocklist.txt');
    writeFileSync(blocklistFile, 'Password1!\r\n\nqwertZ12!\nPasswo\u0308rt1!\nCaf\u00e9-1234!\n');
    const config = { passwords: { hashCost: 4, hashConcurrency: 1, blocklistFile } } as Config;
    hasher = new PasswordHasher(config, new Metrics());
    newPasswords = new NewPasswords(new PasswordBlocklist(config), hasher);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const messageOf = (password: string, refusedHash?: string) =>
    newPasswords.hash(password, { ownWords: ['Ada1@example.com', 'ada'], refusedHash }).then(
      () => 'accepted',
      (error: { fields: { message: string }[] }) => error.fields[0]?.message,
    );

  it('refuses passwords of the list, in any case, as a whole', async () => {
    expect(await messageOf('Password1!')).toMatch(/common/);
    expect(await messageOf('pASSWORD1!')).toMatch(/common/);
    expect(await messageOf('QWERTz12!')).toMatch(/common/);
    expect(await messageOf('Password1!x')).toBe('accepted');
  });

  it('refuses them however their letters are composed', async () => {
    expect(await messageOf('Passw\u00f6rt1!')).toMatch(/common/);
    expect(await messageOf('Passwo\u0308rt1!')).toMatch(/common/);
    expect(await messageOf('Cafe\u0301-1234!')).toMatch(/common/);
  });

  it('refuses the account’s own name and address', async () => {
    expect(await messageOf('aDA1@EXAMPLE.com')).toMatch(/e-mail address or username/);
  });

  it('refuses the previous one where it must differ', async () => {
    const previous = await hasher.hash('Abcdef1@');
    expect(await messageOf('Abcdef1@', previous)).toBe('password must differ from the previous one');
    expect(await messageOf('Abcdef1@')).toBe('accepted');
    expect(await messageOf('Abcdef2@', previous)).toBe('accepted');
  });

  it('checks against nothing when there is no list', () => {
    const blocklist = new PasswordBlocklist({ passwords: { blocklistFile: null } } as Config);
    expect(() => blocklist.assertAllowed('Password1!', [])).not.toThrow();
  });
});
