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

  it('suspects a proxy when one address forwards for many', () => {
    see(
      199,
      () => '10.0.0.1',
      (i) => `198.51.100.${i}`,
    );
    expect(check.isSuspicious).toBe(false);
    see(
      1,
      () => '10.0.0.1',
      () => '198.51.100.7',
    );
    expect(check.isSuspicious).toBe(true);
  });

  it('is at rest when callers have addresses of their own', () => {
    see(
      1_000,
      (i) => `198.51.100.${i % 7}`,
      (i) => `198.51.100.${i}`,
    );
    expect(check.isSuspicious).toBe(false);
  });

  it('is at rest when one caller claims one origin, or none', () => {
    see(
      1_000,
      () => '198.51.100.1',
      () => '203.0.113.1',
    );
    see(
      1_000,
      () => '198.51.100.1',
      () => undefined,
    );
    expect(check.isSuspicious).toBe(false);
  });

  it('is at rest again when others come directly', () => {
    see(
      500,
      () => '10.0.0.1',
      (i) => `198.51.100.${i}`,
    );
    see(
      1,
      () => '203.0.113.1',
      () => undefined,
    );
    expect(check.isSuspicious).toBe(false);
  });
});
