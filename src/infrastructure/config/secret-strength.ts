const MIN_BYTES = 32;
const MIN_DISTINCT_CHARACTERS = 8;
/** What manuals and templates write where a secret belongs. A random one has it less than once in ten million times. */
const EXAMPLE =
  /^<.*>$|change.?(me|this|it)|replace.?(me|this|with)|example|placeholder|your.{0,9}secret|insecure|default/i;

/**
 * Why a signing secret must not be used, or null when it may. HS256 needs a key of at least its output's size
 * (RFC 7518 section 3.2), and nothing that a person could have memorised (RFC 8725 section 3.5).
 */
export function weaknessOf(secret: string): string | null {
  if (EXAMPLE.test(secret)) return 'is an example value';
  if (Buffer.byteLength(secret) < MIN_BYTES) return `must have at least ${MIN_BYTES} bytes`;
  if (new Set(secret).size < MIN_DISTINCT_CHARACTERS) return 'is too regular to be random';
  return null;
}
