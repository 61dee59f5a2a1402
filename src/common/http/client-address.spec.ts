import { describe, expect, it } from 'vitest';
import { addressBucket, clientAddress, normaliseAddress } from './client-address.js';

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

describe('addressBucket', () => {
  it('is the address itself for IPv4, and the /64 for IPv6', () => {
    expect(addressBucket('203.0.113.9')).toBe('203.0.113.9');
    expect(addressBucket('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(addressBucket('2001:db8:1:2:ffff::')).toBe('2001:db8:1:2::/64');
    expect(addressBucket('2001:db8:1:3::')).not.toBe('2001:db8:1:2::/64');
  });
});
