import { hash } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import addressparser from 'nodemailer/lib/addressparser';
import { z } from 'zod';

const DIGEST_OF_NOTHING = hash('sha256', '');

const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * `15m`, `1h`, `7d`, `900s`, `500ms`; a bare number is seconds. Yields milliseconds.
 * @param bounds in the same notation, which the error message repeats
 */
export const duration = (fallback: string, { min = '1ms', max }: { min?: string; max?: string } = {}) =>
  z
    .string()
    .default(fallback)
    .transform((text, context) => {
      const valueMs = millisecondsOf(text.trim());
      if (Number.isNaN(valueMs)) return fail(context, 'must be a duration such as 15m, 1h or 7d');
      if (valueMs < millisecondsOf(min)) return fail(context, `must be at least ${min}`);
      if (max !== undefined && valueMs > millisecondsOf(max)) return fail(context, `must be at most ${max}`);
      return valueMs;
    });

/** @returns milliseconds; NaN if the text is no duration */
function millisecondsOf(text: string): number {
  const match = /^(\d{1,9})\s*(ms|s|m|h|d)?$/.exec(text);
  return match ? Number(match[1]) * (UNIT_MS[match[2] ?? 's'] ?? 0) : Number.NaN;
}

export const wholeNumber = (fallback: number, min: number, max: number) =>
  z
    .string()
    .default(String(fallback))
    .transform((text, context) => {
      const value = /^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
      if (!(value >= min && value <= max)) return fail(context, `must be a whole number from ${min} to ${max}`);
      return value;
    });

export const flag = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .default('false')
  .transform((text) => text === 'true');

const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  );

/** As the text has it, since links are made from that: the parser would correct blanks and backslashes, and drop an empty query. */
const HTTP_URL = /^https?:\/\/[^\s\\/?#@]+(?:\/[^\s\\?#]*)?$/i;

export const httpUrl = z.string().transform((text, context) => {
  if (!HTTP_URL.test(text) || !URL.canParse(text)) {
    return fail(context, 'must be an http(s) address without query, fragment or credentials');
  }
  return text.replace(/\/+$/, '');
});

const MONGODB_URI = /^mongodb(?:\+srv)?:\/\/(?:[^/?@]*@)?(?<hosts>[^/?@]*)/;
const BAD_HOST = /^(?::|$)|:0+$/;

/** Options, and whatever else may be wrong, are left to the driver. */
export const mongodbUri = z.string().transform((text, context) => {
  const { hosts } = MONGODB_URI.exec(text)?.groups ?? {};
  if (hosts === undefined) return fail(context, 'must begin with mongodb:// or mongodb+srv://');
  if (hosts.split(',').some((host) => BAD_HOST.test(host))) return fail(context, 'must name a host, and no port 0');
  return text;
});

export const redisUrl = z.string().transform((text, context) => {
  if (!/^rediss?:\/\//.test(text)) return fail(context, 'must begin with redis:// or rediss://');
  if (!isReadable(text))
    return fail(
      context,
      'must be redis://[user:password@]host[:port][/number], with user and password percent-encoded',
    );
  return text;
});

function isReadable(url: string): boolean {
  try {
    const { hostname, port, username, password, pathname, search, hash } = new URL(url);
    decodeURIComponent(username + password);
    return hostname !== '' && port !== '0' && /^(\/\d*)?$/.test(pathname) && !search && !hash;
  } catch {
    return false;
  }
}

export const proxyList = list.superRefine((items, context) => {
  for (const item of items) {
    const [address = '', prefix, ...rest] = item.split('/');
    const version = isIP(address);
    const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
    if (!version || !isPrefix || rest.length > 0) {
      context.addIssue({ code: 'custom', message: 'must be a comma-separated list of IP addresses or CIDRs' });
    } else if (prefix !== undefined && isTooWide(address, Number(prefix))) {
      context.addIssue({ code: 'custom', message: `must not trust so many addresses as ${item} has` });
    }
  }
});

/** Whether a range has more than the largest private networks, 10.0.0.0/8 and fc00::/7; IPv4 addresses are IPv6 addresses too. */
function isTooWide(address: string, prefix: number): boolean {
  const range = new BlockList();
  range.addSubnet(address, prefix, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  const networks = Array.from({ length: 256 }, (_, first) => `${first}.0.0.1`).filter((each) => range.check(each));
  return prefix < 7 || networks.length > 1;
}

export const hostName = z.string().refine((text) => /^[\w.-]+$/.test(text) || isIP(text) !== 0, {
  error: 'must be a host name or an address, without scheme and port',
});

const SENDER = /^(?:[^\r\n<>@]*<(?<named>[^\s<>@]+@[^\s<>@]+)>|(?<bare>[^\s<>@]+@[^\s<>@]+))$/;

/** One address, with or without a name, for nodemailer too: it would take some texts for a group, several addresses or another one. */
export const sender = z.string().transform((text, context) => {
  const { named, bare } = SENDER.exec(text)?.groups ?? {};
  const address = named ?? bare;
  const [parsed, ...others] = addressparser(text);
  if (address === undefined || parsed?.address !== address || others.length > 0)
    return fail(context, 'must be an address: Name <name@host>, or name@host');
  return { text, name: parsed.name, host: address.slice(address.lastIndexOf('@') + 1) };
});

export const origins = list.superRefine((items, context) => {
  for (const item of items) {
    // A wildcard would be the origin of nobody.
    if (item.includes('*') || !URL.canParse(item) || new URL(item).origin !== item) {
      context.addIssue({
        code: 'custom',
        message: 'must be a comma-separated list of origins such as https://app.example',
      });
    }
  }
});

export const apiKeyDigests = list.transform((items, context) =>
  items.map((item) => {
    const match = /^([A-Za-z0-9._-]{1,64}):([0-9a-fA-F]{64})$/.exec(item);
    if (!match) return fail(context, 'must be a comma-separated list of name:sha256hex');
    const [name, digest] = match.slice(1) as [string, string];
    // What `printf %s "$KEY" | sha256sum` prints in a shell that has no KEY.
    if (digest.toLowerCase() === DIGEST_OF_NOTHING) return fail(context, `has the digest of an empty key for ${name}`);
    return { name, digest: Buffer.from(digest, 'hex') };
  }),
);

function fail(context: z.core.$RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
