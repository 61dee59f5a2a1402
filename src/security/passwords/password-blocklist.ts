import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
import { Config } from '../../infrastructure/config/index.js';

/** Refuses passwords of the operator's list, if there is one: compared as a whole and ignoring case (ASVS 5.0 6.2.4). */
@Injectable()
export class PasswordBlocklist {
  private readonly refused: ReadonlySet<string>;

  constructor({ passwords }: Config) {
    const lines = passwords.blocklistFile ? readFileSync(passwords.blocklistFile, 'utf8').split(/\r?\n/) : [];
    this.refused = new Set(lines.map((line) => fold(line.trim())).filter(Boolean));
  }

  /**
   * @param ownWords words of the account itself, which an attacker tries first: e-mail address, username (ASVS 5.0 6.2.11)
   * @throws ApiError `validation_failed` for the field `password`.
   */
  assertAllowed(password: string, ownWords: string[]): void {
    const folded = fold(password);
    if (ownWords.some((word) => fold(word) === folded)) {
      throw ApiError.invalidField('password', 'password must not be your e-mail address or username');
    }
    if (this.refused.has(folded)) {
      throw ApiError.invalidField('password', 'password is on a list of common passwords; choose another');
    }
  }
}

/** Passwords are normalised (NFC) before they are hashed: spellings with the same normal form are the same password. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
