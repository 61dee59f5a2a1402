import { BlockList, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { FastifyRequest } from 'fastify';

/** Kept on the request: it is asked for four times. */
const ADDRESS = Symbol('client address');

/**
 * The caller's address: the socket's or, behind the proxies of `TRUST_PROXY`, the right-most hop that is not one of them
 * (Fastify's `request.ip`). Ports are removed and IPv4-mapped addresses unmapped: otherwise one caller would have many names,
 * each with a limit of its own. For a forged header without an address in it, the socket's address is used.
 */
export function clientAddress(request: FastifyRequest & { [ADDRESS]?: string }): string {
  return (request[ADDRESS] ??=
    normaliseAddress(request.ip ?? '') ?? normaliseAddress(request.socket.remoteAddress ?? '') ?? '0.0.0.0');
}

/** @returns the canonical text of an IPv4 or IPv6 address, with or without a port; null when it is neither. */
export function normaliseAddress(text: string): string | null {
  const unmapped = text.startsWith('::ffff:') ? text.slice(7) : text;
  if (isIPv4(unmapped)) return unmapped;
  const withoutPort = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const withoutZone = withoutPort.split('%', 1)[0] ?? '';
  if (!ipaddr.IPv4.isValidFourPartDecimal(withoutZone) && !ipaddr.IPv6.isValid(withoutZone)) return null;
  return ipaddr.process(withoutZone).toString();
}

/**
 * For Fastify's `trustProxy`, whose own list takes no address with a port, as some proxies write it into `X-Forwarded-For`.
 * @param proxies addresses and CIDRs
 * @returns whether a hop is one of them
 */
export function trustOf(proxies: readonly string[]): (hop: string) => boolean {
  const known = new BlockList();
  for (const proxy of proxies) {
    const [address = '', prefix = isIPv4(address) ? '32' : '128'] = proxy.split('/');
    known.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (hop) => {
    const address = normaliseAddress(hop);
    return address !== null && known.check(address, familyOf(address));
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

/** The key under which a caller is limited: an IPv4 address, or the /64 of an IPv6 address, within which a host can choose freely. */
export function addressBucket(address: string): string {
  if (isIPv4(address) || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()}/64`;
}
