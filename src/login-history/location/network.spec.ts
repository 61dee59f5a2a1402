import { describe, expect, it } from 'vitest';
import { describeLocation, networkOf } from './network.js';

describe('networkOf', () => {
  it('is the region where one is known', () => {
    expect(networkOf('8.8.8.8', { country: 'US', region: 'California' })).toBe('US/California');
    expect(networkOf('8.8.8.8', { country: 'US' })).toBe('US/');
  });

  it('is a /24 or a /48 elsewhere', () => {
    expect(networkOf('10.1.2.3', undefined)).toBe('10.1.2.0/24');
    expect(networkOf('10.1.2.3', { city: 'Paris', region: 'Texas' })).toBe('10.1.2.0/24');
    expect(networkOf('::ffff:10.1.2.3', undefined)).toBe('10.1.2.0/24');
    expect(networkOf('2001:db8:1:2::3', undefined)).toBe('2001:db8:1::/48');
    expect(networkOf('nonsense', undefined)).toBe('unknown');
  });
});

describe('describeLocation', () => {
  it('names what is known', () => {
    expect(describeLocation({ city: 'Paris', region: 'Île-de-France', country: 'FR' })).toBe(
      'Paris, Île-de-France, FR',
    );
    expect(describeLocation({ country: 'FR' })).toBe('FR');
    expect(describeLocation(undefined)).toBeNull();
  });
});
