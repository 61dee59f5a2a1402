import { describe, expect, it } from 'vitest';
import { describeDevice, parseDevice, userAgentOf } from './device.js';

describe('parseDevice', () => {
  it('knows a desktop browser', () => {
    const device = parseDevice(
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
    );
    expect(device).toEqual({
      browser: { name: 'Chrome', version: '126.0.0.0', major: '126' },
      os: { name: 'Windows', version: '10' },
      platform: 'amd64',
      source: 'desktop',
    });
    expect(describeDevice(device)).toBe('Chrome on Windows');
  });

  it('knows a device by its model, else by its processor, else by its system', () => {
    const platformOf = (system: string) =>
      parseDevice(`Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/604.1`)
        ?.platform;
    expect(platformOf('iPad; CPU OS 17_5 like Mac OS X')).toBe('Apple iPad');
    expect(platformOf('X11; Linux aarch64')).toBe('arm64');
    expect(platformOf('X11; Linux')).toBe('Linux');
  });

  it('takes no browser without a system for a desktop', () => {
    const device = parseDevice('Firefox/128.0');
    expect(device?.source).toBe('unknown');
    expect(describeDevice(device)).toBe('Firefox');
  });

  it('says "unknown" of programs', () => {
    const device = parseDevice('curl/8.5.0');
    expect(device?.source).toBe('unknown');
    expect(describeDevice(device)).toBe('An unknown program');
  });

  it('has nothing to say without a user agent', () => {
    expect(parseDevice(undefined)).toBeUndefined();
    expect(describeDevice(undefined)).toBe('An unknown program');
    expect(userAgentOf('')).toBeUndefined();
  });

  it('never sees more than 512 characters of an endless one', () => {
    expect(userAgentOf('('.repeat(16_000))).toBe('('.repeat(512));
  });
});
