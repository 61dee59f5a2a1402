import { createSecretKey, type KeyObject } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';
import { ApiError } from '../../common/errors/index.js';
import { type DecodedToken, ISSUER } from './token-codec.js';

/** Leaves the times to `assertSessionClaims`, which asks the injected clock. */
const VERIFY_OPTIONS = {
  algorithms: ['HS256' as const],
  complete: true as const,
  ignoreExpiration: true,
  ignoreNotBefore: true,
};

/** A key under which tokens are signed and verified. */
class Signer {
  /**
   * A key made once. Handed a string, `jsonwebtoken` tries to parse it as a public key at every verification, which
   * costs eight times the rest of the request.
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

  /** @throws what `jsonwebtoken` says */
  verify(token: string): DecodedToken {
    return this.jwt.verify(token, VERIFY_OPTIONS) as unknown as DecodedToken;
  }
}

/**
 * The secret of one kind of tokens. While secrets are being rotated, what the previous one signed is believed too, until
 * it expires; nothing is signed with it. The current one is tried first, so that its tokens cost nothing more.
 */
export class TokenSecret {
  private readonly current: Signer;
  private readonly previous: Signer | null;

  /** @param previous null: none is believed but the current one */
  constructor(secret: string, previous: string | null) {
    this.current = new Signer(secret);
    this.previous = previous ? new Signer(previous) : null;
  }

  sign(type: string, claims: object): string {
    return this.current.sign(type, claims);
  }

  /** @throws ApiError `token_invalid` when the signature is not ours */
  verify(token: string): DecodedToken {
    try {
      return this.verifiedBy(token).decoded;
    } catch (error) {
      throw new ApiError('token_invalid', { cause: error });
    }
  }

  /** For a verifier that takes one key: the one that signed the token, or any, if none did. */
  keyOf(token: string): KeyObject {
    if (!this.previous) return this.current.key;
    try {
      return this.verifiedBy(token).key;
    } catch {
      return this.current.key;
    }
  }

  /** The tokens bear no `kid`: which key signed one is found out by trying. */
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
