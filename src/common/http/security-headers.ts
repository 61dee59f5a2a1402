import helmet, { type HelmetOptions } from 'helmet';
import { requestPath } from './request-path.js';

/** Paths of HTML pages, which need a content security policy of their own; all other answers are data. */
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
  // Most targets are paths already, and this runs for every request.
  return PAGES.test(url.startsWith('/') ? url : requestPath(url)) ? OF_PAGES : OF_DATA;
}

/** Helmet's headers, made once: none of them depends on the request. */
function headersBy(options: HelmetOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => (headers[name.toLowerCase()] = value),
    removeHeader: () => undefined,
  };
  helmet(options)({} as never, response as never, () => undefined);
  return headers;
}
