import { describe, expect, it } from 'vitest';
import type { Config } from '../../infrastructure/config/index.js';
import { MailSeal } from './mail-seal.js';

const sealOf = (refreshSecret: string, previousRefreshSecret: string | null = null) =>
  new MailSeal({ tokens: { refreshSecret, previousRefreshSecret } } as Config);

describe('MailSeal', () => {
  it('hides what a mail contains, and gives it back', () => {
    const seal = sealOf('one');
    const sealed = seal.seal({ otp: '482913' });
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('482913');
    expect(seal.unseal(sealed)).toEqual({ otp: '482913' });
    expect(seal.seal({ otp: '482913' })).not.toBe(sealed);
  });

  it('gives back what was sealed with the previous secret, and seals with the current one', () => {
    const rotated = sealOf('two', 'one');
    expect(rotated.unseal(sealOf('one').seal({ otp: '482913' }))).toEqual({ otp: '482913' });
    expect(sealOf('two').unseal(rotated.seal({ otp: '482913' }))).toEqual({ otp: '482913' });
    expect(() => rotated.unseal(sealOf('three').seal({ otp: '482913' }))).toThrow('Encrypted with neither');
  });

  it('refuses what was altered, or sealed with another secret', () => {
    const sealed = Buffer.from(sealOf('one').seal({ otp: '482913' }), 'base64');
    const foreign = 'Encrypted with neither JWT_REFRESH_SECRET nor JWT_REFRESH_SECRET_PREVIOUS';
    expect(() => sealOf('two').unseal(sealed.toString('base64'))).toThrow(foreign);
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
    expect(() => sealOf('one').unseal(sealed.toString('base64'))).toThrow();
  });
});
