import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../infrastructure/config/index.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** What operators read as the reason why such a mail waits: OpenSSL's own words name no setting. */
const FOREIGN = 'Encrypted with neither JWT_REFRESH_SECRET nor JWT_REFRESH_SECRET_PREVIOUS, or damaged';

/** Encrypts the content of stored mails, so that the database never holds a usable code, not even while a mail waits. */
@Injectable()
export class MailSeal {
  private readonly key: Buffer;
  private readonly previousKeys: Buffer[];

  constructor({ tokens }: Config) {
    this.key = keyOf(tokens.refreshSecret);
    this.previousKeys = tokens.previousRefreshSecret ? [keyOf(tokens.previousRefreshSecret)] : [];
  }

  seal(content: object): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key, nonce);
    const body = Buffer.concat([cipher.update(JSON.stringify(content), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
  }

  /** @throws Error if the content was altered, or was sealed with neither the current nor the previous secret */
  unseal(sealed: string): unknown {
    let cause: unknown;
    for (const key of [this.key, ...this.previousKeys]) {
      try {
        return unsealWith(key, sealed);
      } catch (error) {
        cause = error;
      }
    }
    throw new Error(FOREIGN, { cause });
  }
}

function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'account-service stored mail', 32));
}

function unsealWith(key: Buffer, sealed: string): unknown {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const body = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(body.toString('utf8'));
}
