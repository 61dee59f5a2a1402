import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../infrastructure/config/index.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts the content of stored mails, so that the database never holds a usable code, not even while a mail waits. */
@Injectable()
export class MailSeal {
  private readonly key: Buffer;
  private readonly previousKey: Buffer | null;

  constructor({ tokens }: Config) {
    this.key = keyOf(tokens.refreshSecret);
    this.previousKey = tokens.previousRefreshSecret ? keyOf(tokens.previousRefreshSecret) : null;
  }

  seal(content: object): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key, nonce);
    const body = Buffer.concat([cipher.update(JSON.stringify(content), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
  }

  /** @throws Error if the content was altered, or was sealed with neither the current nor the previous secret */
  unseal(sealed: string): unknown {
    try {
      return unsealWith(this.key, sealed);
    } catch (error) {
      if (!this.previousKey) throw error;
      return unsealWith(this.previousKey, sealed);
    }
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
