import { Logger } from '@nestjs/common';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Config } from '../config/index.js';
import { ForwardingCheck } from './forwarding-check.js';

describe('ForwardingCheck', () => {
  let check: ForwardingCheck;
  beforeEach(() => {
    check = behind();
  });
  const behind = (...trustedProxies: string[]) =>
    new ForwardingCheck({ http: { trustedProxies } } as unknown as Config);
  const see = (count: number, address: (i: number) => string, claim: (i: number) => string | undefined) => {
    for (let i = 0; i < count; i += 1) check.see(address(i), claim(i));
  };
  const caller = (i: number) => `198.51.100.${i % 250}`;
  const proxy = () => '10.0.0.1';
  const direct = () => undefined;

  it('suspects a proxy when one address forwards for many', () => {
    see(199, proxy, caller);
    expect(check.fault).toBeNull();
    see(1, proxy, caller);
    expect(check.fault).toBe('untrusted_proxy');
  });

  it.each([
    ['two proxies', (i: number) => `10.0.0.${i % 2}`, caller],
    ['a proxy behind another', proxy, (i: number) => `${caller(i)}, 10.0.9.9`],
    ['a proxy, and a few who come past it', proxy, (i: number) => (i % 20 === 0 ? undefined : caller(i))],
  ])('suspects %s', (_what, address, claim) => {
    see(400, address, claim);
    expect(check.fault).toBe('untrusted_proxy');
  });

  it.each([
    ['callers come directly', caller, direct],
    ['a proxy is named: requests count for whom they were forwarded', caller, (i: number) => `${caller(i)}, 10.0.0.1`],
    ['one caller claims one origin', proxy, () => '203.0.113.1'],
    ['one of many claims many origins', (i: number) => (i % 2 ? caller(i) : '10.0.0.1'), (i: number) => caller(i)],
  ])('is at rest when %s', (_what, address, claim) => {
    see(1_000, address, claim);
    expect(check.fault).toBeNull();
  });

  it('judges by the latest requests alone', () => {
    see(200, proxy, caller);
    see(200, proxy, () => '203.0.113.1');
    expect(check.fault).toBeNull();
  });

  it('is at rest again once requests count for their callers', () => {
    see(400, proxy, caller);
    see(200, caller, caller);
    expect(check.fault).toBeNull();
  });

  describe('with a proxy that TRUST_PROXY names', () => {
    beforeEach(() => {
      check = behind('10.0.0.0/24');
    });

    it.each([
      ['sends no header', direct],
      ['sends words', () => 'unknown'],
      ['sends words of its own after an address', () => '203.0.113.1, unknown'],
      ['sends its own address after words', () => 'unknown, 10.0.0.1'],
      ['sends an address that the service cannot read', (i: number) => `${caller(i)}.`],
    ])('says that it hides its clients when it %s', (_what, claim) => {
      see(200, proxy, claim);
      expect(check.fault).toBe('proxy_hides_clients');
      see(200, caller, caller);
      expect(check.fault).toBeNull();
    });

    it.each([
      ['takes a tenth of requests that name their callers for a fault', 180, 'proxy_hides_clients'],
      ['takes one more for none', 179, null],
    ])('%s', (_what, hidden, fault) => {
      see(hidden, proxy, direct);
      see(200 - hidden, caller, caller);
      expect(check.fault).toBe(fault);
    });

    it('says it once in the log, with the proxy’s address, and again after it was mended', () => {
      const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
      see(400, proxy, direct);
      expect(warn.mock.calls).toEqual([[expect.stringMatching(/^Of 200 requests 200 came .* 10\.0\.0\.1: if/)]]);
      see(200, caller, caller);
      see(200, () => '192.0.2.1', caller);
      expect(warn.mock.calls.at(-1)).toEqual([expect.stringMatching(/^Of 200 requests 200 were .* 192\.0\.2\.1: if/)]);
      expect(warn).toHaveBeenCalledTimes(2);
      warn.mockRestore();
    });

    it.each([
      ['callers come past it', caller, direct],
      ['it names its callers', caller, caller],
      [
        'its callers are in its own network',
        (i: number) => `10.0.0.${i % 250}`,
        (i: number) => `10.0.0.${i % 250}:4711`,
      ],
      ['one caller claims other origins before it', () => '203.0.113.1', () => 'unknown, 203.0.113.1'],
    ])('is at rest when %s', (_what, address, claim) => {
      see(1_000, address, claim);
      expect(check.fault).toBeNull();
    });

    it('still suspects another proxy', () => {
      see(200, () => '192.0.2.1', caller);
      expect(check.fault).toBe('untrusted_proxy');
    });
  });
});
