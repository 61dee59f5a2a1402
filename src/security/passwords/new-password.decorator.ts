import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, ValidateBy } from 'class-validator';
import { IsWellFormed } from '../../common/validation/index.js';
import { MAX_PASSWORD_BYTES } from './password-hasher.js';

const MIN_CHARACTERS = 8;
/** Look-aheads, since the rule is "at least one of each"; all other characters are allowed too. */
const FOUR_CLASSES = /^(?=[^]*[a-z])(?=[^]*[A-Z])(?=[^]*\d)(?=[^]*[@$!%*?&])/;

/**
 * A password that is being chosen. Characters are counted as code points, the upper bound in bytes of UTF-8 after
 * NFC, which is what bcrypt sees.
 */
export function IsNewPassword(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      minLength: MIN_CHARACTERS,
      maxLength: MAX_PASSWORD_BYTES,
      pattern: FOUR_CLASSES.source.replaceAll('[^]', '[\\s\\S]'),
      format: 'password',
      description: `At least ${MIN_CHARACTERS} characters and at most ${MAX_PASSWORD_BYTES} bytes of UTF-8; at least one lower-case letter (a to z), one upper-case letter (A to Z), one digit and one of @ $ ! % * ? &; other characters as well. Not the account’s own address or username.`,
      example: 'Correct-Horse7!',
    }),
    // Checked in this order; the first rule that fails is reported.
    IsString({ message: '$property must be a string' }),
    IsWellFormed(),
    fits(
      'fourClasses',
      (text) => FOUR_CLASSES.test(text.normalize('NFC')),
      'Password must include uppercase, lowercase, number, and special character',
    ),
    fits(
      'minCharacters',
      (text) => [...text.normalize('NFC')].length >= MIN_CHARACTERS,
      `$property must be at least ${MIN_CHARACTERS} characters long`,
    ),
    fits(
      'maxBytes',
      (text) => Buffer.byteLength(text.normalize('NFC')) <= MAX_PASSWORD_BYTES,
      `$property must be at most ${MAX_PASSWORD_BYTES} bytes long`,
    ),
  );
}

/** The repetition of the password. Like it, it is taken after NFC: two keyboards may compose the same text differently. */
export function IsConfirmationOf(field: string): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ format: 'password', description: `Equal to \`${field}\``, example: 'Correct-Horse7!' }),
    IsString({ message: '$property must be a string' }),
    ValidateBy({
      name: 'isConfirmation',
      validator: {
        validate: (value, args) => isSameText(value, (args?.object as Record<string, unknown> | undefined)?.[field]),
        defaultMessage: () => `$property must be equal to ${field}`,
      },
    }),
  );
}

function isSameText(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && one.normalize('NFC') === other.normalize('NFC');
}

function fits(name: string, test: (text: string) => boolean, message: string): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate: (value: unknown) => typeof value === 'string' && test(value),
      defaultMessage: () => message,
    },
  });
}
