import { beforeEach, describe, expect, it } from 'vitest';
import { ForwardingCheck } from './forwarding-check.js';

describe('ForwardingCheck', () => {
  let check: ForwardingCheck;
  beforeEach(() => {
    check = new ForwardingCheck();
  });
  const see = (count: number, address: (i: number) => string, claim: (i: number) => string | undefined) => {
    for (let i = 0; i < count; i += 1) check.see(address(i), claim(i));
  };
  const caller = (i: number) => `198.51.100.${i % 250}`;
  const proxy = () => '10.0.0.1';
  const direct = () => undefined;

  it('suspects a proxy when one address forwards for many', () => {
    see(199, proxy, caller);
    expect(check.isSuspicious).toBe(false);
    see(1, proxy, caller);
    expect(check.isSuspicious).toBe(true);
  });

  it.each([
    ['two proxies', (i: number) => `10.0.0.${i % 2}`, caller],
    ['a proxy behind another', proxy, (i: number) => `${caller(i)}, 10.0.9.9`],
    ['a proxy, and a few who come past it', proxy, (i: number) => (i % 20 === 0 ? undefined : caller(i))],
  ])('suspects %s', (_what, address, claim) => {
    see(400, address, claim);
    expect(check.isSuspicious).toBe(true);
  });

  it.each([
    ['callers come directly', caller, direct],
    ['a proxy is named: requests count for whom they were forwarded', caller, (i: number) => `${caller(i)}, 10.0.0.1`],
    ['one caller claims one origin', proxy, () => '203.0.113.1'],
    ['one of many claims many origins', (i: number) => (i % 2 ? caller(i) : '10.0.0.1'), (i: number) => caller(i)],
  ])('is at rest when %s', (_what, address, claim) => {
    see(1_000, address, claim);
    expect(check.isSuspicious).toBe(false);
  });

  it('judges by the latest requests alone', () => {
    see(200, proxy, caller);
    see(200, proxy, () => '203.0.113.1');
    expect(check.isSuspicious).toBe(false);
  });

  it('is at rest again once requests count for their callers', () => {
    see(400, proxy, caller);
    see(200, caller, caller);
    expect(check.isSuspicious).toBe(false);
  });
});
