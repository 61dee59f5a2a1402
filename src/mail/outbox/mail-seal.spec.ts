import { describe, expect, it } from 'vitest';
import type { Config } from '../../infrastructure/config/index.js';
import { MailSeal } from './mail-seal.js';

const sealOf = (refreshSecret: string) => new MailSeal({ tokens: { refreshSecret } } as Config);

describe('MailSeal', () => {
  it('hides what a mail contains, and gives it back', () => {
    const seal = sealOf('one');
    const sealed = seal.seal({ otp: '482913' });
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('482913');
    expect(seal.unseal(sealed)).toEqual({ otp: '482913' });
    expect(seal.seal({ otp: '482913' })).not.toBe(sealed);
  });

  it('refuses what was altered, or sealed with another secret', () => {
    const sealed = Buffer.from(sealOf('one').seal({ otp: '482913' }), 'base64');
    expect(() => sealOf('two').unseal(sealed.toString('base64'))).toThrow();
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
    expect(() => sealOf('one').unseal(sealed.toString('base64'))).toThrow();
  });
});
