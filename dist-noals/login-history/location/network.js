import ipaddr from 'ipaddr.js';
/**
 * The network of a login, as coarse as it takes for a telephone not to be a stranger at each street corner: the
 * region where it is known, else the /24 of an IPv4 or the /48 of an IPv6 address.
 */
export function networkOf(address, location) {
    if (location?.country)
        return `${location.country}/${location.region ?? ''}`;
    if (!ipaddr.isValid(address))
        return 'unknown';
    const parsed = ipaddr.process(address);
    return parsed.kind() === 'ipv4'
        ? `${ipaddr.IPv4.networkAddressFromCIDR(`${parsed.toString()}/24`).toString()}/24`
        : `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/48`).toString()}/48`;
}
/** "Paris, Île-de-France, FR", or null where nothing is known. */
export function describeLocation(location) {
    const parts = [location?.city, location?.region, location?.country].filter(Boolean);
    return parts.length > 0 ? parts.join(', ') : null;
}
//# sourceMappingURL=network.js.map