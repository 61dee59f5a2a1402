import { applyDecorators } from '@nestjs/common';
import { buildMessage, IsString, Matches, ValidateBy } from 'class-validator';

interface TextOptions {
  /** Of a list: each of its entries. */
  each?: boolean;
}

/** A string without control characters, line ends or lone surrogates: fit for a log line, a mail and a database. */
export function IsPlainText({ each = false }: TextOptions = {}): PropertyDecorator {
  const subject = each ? 'each value in $property' : '$property';
  return applyDecorators(
    IsString({ each, message: `${subject} must be a string` }),
    IsWellFormed({ each }),
    Matches(/^[^\p{Cc}\u2028\u2029]*$/u, { each, message: `${subject} must not contain control characters` }),
  );
}

/** Not empty, and not of spaces alone, nor of characters without a glyph of their own (zero-width space, marks of direction). */
export function IsNotBlank(): PropertyDecorator {
  return Matches(/[^\s\p{Cf}]/u, { message: '$property must not be blank' });
}

/** Lone surrogates cannot be stored as UTF-8: two different strings would become the same. */
export function IsWellFormed({ each = false }: TextOptions = {}): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isWellFormed',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && !/\p{Surrogate}/u.test(value),
        defaultMessage: buildMessage((prefix) => `${prefix}$property must be well-formed Unicode text`, { each }),
      },
    },
    { each },
  );
}
