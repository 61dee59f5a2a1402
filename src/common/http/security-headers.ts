import helmet, { type HelmetOptions } from 'helmet';

/** Pages of our own that a browser shows; everything else is data, and nothing may be loaded from it. */
const PAGES = /^\/(?:docs|dev)(?:[/?#]|$)/;

const OPTIONS: HelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { 'default-src': ["'none'"], 'base-uri': ["'none'"], 'frame-ancestors': ["'none'"] },
  },
  hsts: { maxAge: 31_536_000, includeSubDomains: true },
  referrerPolicy: { policy: 'no-referrer' },
  crossOriginResourcePolicy: { policy: 'same-origin' },
};
const PAGE_POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const OF_DATA = { 'cache-control': 'no-store', ...headersBy(OPTIONS) };
const OF_PAGES = { ...OF_DATA, 'content-security-policy': PAGE_POLICY };

/** The headers that every answer bears. */
export function securityHeaders(url: string): Record<string, string> {
  return PAGES.test(url) ? OF_PAGES : OF_DATA;
}

/** What helmet would set. It is asked once and not at every request: none of it depends on the request. */
function headersBy(options: HelmetOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => (headers[name.toLowerCase()] = value),
    removeHeader: () => undefined,
  };
  helmet(options)({} as never, response as never, () => undefined);
  return headers;
}
