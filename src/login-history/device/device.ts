import { UAParser } from 'ua-parser-js';

/** A parsed `User-Agent`; every part is optional, since a caller may send anything or nothing. */
export interface Device {
  browser: { name?: string; version?: string; major?: string };
  os: { name?: string; version?: string };
  /** Device model if the user agent names one, else the processor architecture. */
  platform?: string;
  /** Device class: desktop, mobile, tablet, … */
  source: string;
}

/** Longer user agents are cut before they are parsed or stored, so that the parser's patterns never see a string of 16 kB. */
const MAX_USER_AGENT_LENGTH = 512;

export function userAgentOf(header: string | undefined): string | undefined {
  return header ? header.slice(0, MAX_USER_AGENT_LENGTH) : undefined;
}

export function parseDevice(userAgent: string | undefined): Device | undefined {
  if (!userAgent) return undefined;
  const { browser, os, device, cpu } = new UAParser(userAgent).getResult();
  return {
    browser: { name: browser.name, version: browser.version, major: browser.major },
    os: { name: os.name, version: os.version },
    platform: [device.vendor, device.model].filter(Boolean).join(' ') || cpu.architecture || os.name,
    // The parser has no class for desktops and programs other than browsers.
    source: device.type ?? (browser.name && os.name ? 'desktop' : 'unknown'),
  };
}

/** For example "Firefox on Linux". Safe in a mail, because both names come from the parser's own list. */
export function describeDevice(device: Device | undefined): string {
  const browser = device?.browser.name ?? 'An unknown program';
  return device?.os.name ? `${browser} on ${device.os.name}` : browser;
}
