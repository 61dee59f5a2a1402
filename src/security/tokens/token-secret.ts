import { createSecretKey, type KeyObject } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';
import { ApiError } from '../../common/errors/index.js';
import { type DecodedToken, ISSUER } from './token-codec.js';

/** Times are checked by `assertSessionClaims`, with the injected clock. */
const VERIFY_OPTIONS = {
  algorithms: ['HS256' as const],
  complete: true as const,
  ignoreExpiration: true,
  ignoreNotBefore: true,
};

/** A key under which tokens are signed and verified. */
class Signer {
  /**
   * A KeyObject, made once: given a string, `jsonwebtoken` tries to parse it as a public key at every verification, which takes
   * eight times as long as the rest of the request.
   */
  readonly key: KeyObject;
  private readonly jwt: JwtService;

  constructor(secret: string) {
    this.key = createSecretKey(Buffer.from(secret));
    this.jwt = new JwtService({ secret: this.key });
  }

  sign(type: string, claims: object): string {
    return this.jwt.sign({ ...claims, iss: ISSUER }, { algorithm: 'HS256', header: { alg: 'HS256', typ: type } });
  }

  /** @throws an error of `jsonwebtoken` */
  verify(token: string): DecodedToken {
    return this.jwt.verify(token, VERIFY_OPTIONS) as unknown as DecodedToken;
  }
}

/**
 * The secret of one kind of token. While secrets are rotated, tokens signed with the previous one stay valid until they expire;
 * new tokens are signed with the current one, which is also tried first.
 */
export class TokenSecret {
  private readonly current: Signer;
  private readonly previous: Signer | null;

  /** @param previous null if only the current secret is valid */
  constructor(secret: string, previous: string | null) {
    this.current = new Signer(secret);
    this.previous = previous ? new Signer(previous) : null;
  }

  sign(type: string, claims: object): string {
    return this.current.sign(type, claims);
  }

  /** @throws ApiError `token_invalid` if neither secret signed the token */
  verify(token: string): DecodedToken {
    try {
      return this.verifiedBy(token).decoded;
    } catch (error) {
      throw new ApiError('token_invalid', { cause: error });
    }
  }

  /** The key that signed a token, for a verifier that takes one key; the current key if neither did. */
  keyOf(token: string): KeyObject {
    if (!this.previous) return this.current.key;
    try {
      return this.verifiedBy(token).key;
    } catch {
      return this.current.key;
    }
  }

  /** Tries both keys, since tokens have no `kid`. */
  private verifiedBy(token: string): { key: KeyObject; decoded: DecodedToken } {
    const { current, previous } = this;
    try {
      return { key: current.key, decoded: current.verify(token) };
    } catch (error) {
      if (!previous) throw error;
      return { key: previous.key, decoded: previous.verify(token) };
    }
  }
}
