import { UAParser } from 'ua-parser-js';
/** Longer ones are cut before they are parsed or stored: the parser's patterns meet no 16 kB string. */
export const MAX_USER_AGENT_LENGTH = 512;
export function userAgentOf(header) {
    return header ? header.slice(0, MAX_USER_AGENT_LENGTH) : undefined;
}
export function parseDevice(userAgent) {
    if (!userAgent)
        return undefined;
    const { browser, os, device, cpu } = new UAParser(userAgent).getResult();
    return {
        browser: { name: browser.name, version: browser.version, major: browser.major },
        os: { name: os.name, version: os.version },
        platform: [device.vendor, device.model].filter(Boolean).join(' ') || cpu.architecture || os.name,
        // The parser names no class for desktops, nor for programs that are no browser.
        source: device.type ?? (browser.name && os.name ? 'desktop' : 'unknown'),
    };
}
/** "Firefox on Linux": fit for a mail, because both names come from the parser's own list. */
export function describeDevice(device) {
    const browser = device?.browser.name ?? 'An unknown program';
    return device?.os.name ? `${browser} on ${device.os.name}` : browser;
}
//# sourceMappingURL=device.js.map