import ipaddr from 'ipaddr.js';
import type { Location } from './location-finder.js';

/**
 * The network of a login: the region if it is known, else the /24 of an IPv4 or the /48 of an IPv6 address. So coarse that a
 * moving phone does not look new all the time.
 */
export function networkOf(address: string, location: Location | undefined): string {
  if (location?.country) return `${location.country}/${location.region ?? ''}`;
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4'
    ? `${ipaddr.IPv4.networkAddressFromCIDR(`${parsed.toString()}/24`).toString()}/24`
    : `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/48`).toString()}/48`;
}

/** For example "Paris, Île-de-France, FR"; null if nothing is known. */
export function describeLocation(location: Location | undefined): string | null {
  const parts = [location?.city, location?.region, location?.country].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : null;
}
