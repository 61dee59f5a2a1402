import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { buildMessage, IsString, Matches, ValidateBy } from 'class-validator';

interface TextOptions {
  /** The field is a list, and each of its entries is checked. */
  each?: boolean;
}

/** Takes the blanks off both ends of a text: what is pasted, or completed by a keyboard, often has some. Not for passwords. */
export function Trimmed(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));
}

/** Without control characters, line breaks, and what reverses how the text after it is shown (Trojan Source, CVE-2021-42574). */
const WITHOUT_CONTROLS = /^[^\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u;

/** A string without control characters (of direction, too), line breaks or lone surrogates: safe in a log, a mail and a database. */
export function IsPlainText({ each = false }: TextOptions = {}): PropertyDecorator {
  const subject = each ? 'each value in $property' : '$property';
  return applyDecorators(
    IsString({ each, message: `${subject} must be a string` }),
    IsWellFormed({ each }),
    Matches(WITHOUT_CONTROLS, { each, message: `${subject} must not contain control characters` }),
  );
}

/** All but spaces, marks of direction, fillers, selectors of variants and the empty Braille cell, which have no picture of their own. */
const VISIBLE = /[^\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Has at least one visible character. */
export function IsNotBlank(): PropertyDecorator {
  return Matches(VISIBLE, { message: '$property must not be blank' });
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
