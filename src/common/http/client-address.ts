import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { FastifyRequest } from 'fastify';

/** Four ask for it. */
const ADDRESS = Symbol('client address');

/**
 * The caller's address: the socket's, or, behind the proxies of `TRUST_PROXY`, the right-most hop that is none of
 * them (Fastify's `request.ip`). A port is cut off and an IPv4-mapped address unmapped, otherwise one caller had many
 * names and so many limits. What is no address at all (a forged header) yields the socket's.
 */
export function clientAddress(request: FastifyRequest & { [ADDRESS]?: string }): string {
  return (request[ADDRESS] ??=
    normaliseAddress(request.ip ?? '') ?? normaliseAddress(request.socket.remoteAddress ?? '') ?? '0.0.0.0');
}

/** @returns the canonical text of an IPv4 or IPv6 address, with or without a port; null when it is neither. */
export function normaliseAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  const withoutPort = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const withoutZone = withoutPort.split('%', 1)[0] ?? '';
  if (!ipaddr.IPv4.isValidFourPartDecimal(withoutZone) && !ipaddr.IPv6.isValid(withoutZone)) return null;
  return ipaddr.process(withoutZone).toString();
}

/** The key under which a caller is limited: an IPv4 address, or the /64 in which an IPv6 host chooses freely. */
export function addressBucket(address: string): string {
  if (isIPv4(address) || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()}/64`;
}
