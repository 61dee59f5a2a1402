import { describe, expect, it } from 'vitest';
import { addressBucket, clientAddress, normaliseAddress, trustOf } from './client-address.js';

describe('normaliseAddress', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:5555', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['[::ffff:203.0.113.9]:443', '203.0.113.9'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('makes %s one address', (text, expected) => {
    expect(normaliseAddress(text)).toBe(expected);
  });

  it.each([
    '',
    'unknown',
    '<script>',
    '1.2.3',
    '1.2.3.4.5',
    '0x7f.1',
    '2130706433',
    '999.1.1.1',
    ':::',
    'x'.repeat(10_000),
  ])('knows that %j is none', (text) => {
    expect(normaliseAddress(text)).toBeNull();
  });
});

describe('clientAddress', () => {
  const request = (ip: string, remoteAddress?: string) => ({ ip, socket: { remoteAddress } }) as never;

  it('falls back to the socket when the header holds no address', () => {
    expect(clientAddress(request('<script>', '::ffff:10.0.0.1'))).toBe('10.0.0.1');
    expect(clientAddress(request('junk'))).toBe('0.0.0.0');
  });
});

describe('trustOf', () => {
  it('knows a proxy by its address, however it writes it', () => {
    const isTrusted = trustOf(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::ffff:172.16.0.0/108']);
    for (const hop of [
      '10.1.2.3',
      '10.1.2.3:443',
      '::ffff:10.1.2.3',
      '192.0.2.7:80',
      '[2001:db8::1]:443',
      '172.16.9.9',
    ])
      expect(isTrusted(hop), hop).toBe(true);
    for (const hop of ['11.1.2.3', '192.0.2.8', '2001:db9::1', '172.32.0.1', 'proxy', ''])
      expect(isTrusted(hop), hop).toBe(false);
  });

  it('trusts a proxy that is named by its address, and none of its neighbours', () => {
    const isTrusted = trustOf(['192.0.2.7', '2001:db8::7']);
    expect(['192.0.2.7', '2001:db8::7'].filter(isTrusted)).toHaveLength(2);
    expect(['192.0.2.6', '2001:db8::6', '2001:db8::7:1'].filter(isTrusted)).toEqual([]);
  });
});

describe('addressBucket', () => {
  it('is the address itself for IPv4, and the /64 for IPv6', () => {
    expect(addressBucket('203.0.113.9')).toBe('203.0.113.9');
    expect(addressBucket('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(addressBucket('2001:db8:1:2:ffff::')).toBe('2001:db8:1:2::/64');
    expect(addressBucket('2001:db8:1:3::')).not.toBe('2001:db8:1:2::/64');
  });
});
