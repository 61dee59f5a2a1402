import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsEmail, IsIn, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { ROLES } from '../../common/access/index.js';
import { IsNotBlank, IsOmittable, IsPlainText, Trimmed } from '../../common/validation/index.js';

const USERNAME = /^[A-Za-z0-9_]+$/;
/** Unquoted ASCII local part and a DNS name, so that the same text is compared, stored and mailed. */
const EMAIL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+$/;

const ASCII = /^\p{ASCII}*$/u;

/** `username`: 3 to 64 letters, digits and underscores. */
export function IsUsername({ required = true } = {}): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      required,
      minLength: 3,
      maxLength: 64,
      pattern: USERNAME.source,
      example: 'ada_lovelace',
      description: 'Letters, digits and underscore; unique without regard to case',
    }),
    ...(required ? [] : [IsOmittable()]),
    IsString({ message: '$property must be a string' }),
    MinLength(3, { message: '$property must be at least 3 characters long' }),
    MaxLength(64, { message: '$property must be at most 64 characters long' }),
    Matches(USERNAME, { message: '$property must have only letters, digits and underscores' }),
  );
}

/** `email`: ASCII, at most 254 characters (RFC 5321 section 4.5.3.1.3). */
export function IsEmailAddress(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      format: 'email',
      maxLength: 254,
      example: 'ada@example.com',
      description:
        'Upper and lower case are the same; ASCII (a domain of other letters as `xn--…`), at most 64 characters before the @, a top-level domain after it; blanks around it do not count',
    }),
    Trimmed(),
    IsString({ message: '$property must be a string' }),
    MaxLength(254, { message: '$property must be at most 254 characters long' }),
    Matches(ASCII, {
      message: '$property must be a valid e-mail address in ASCII (a domain of other letters as xn--…)',
    }),
    Matches(EMAIL, { message: '$property must be a valid e-mail address' }),
    IsEmail({}, { message: '$property must be a valid e-mail address' }),
  );
}

/** `first_name`, `last_name`: 2 to 100 characters of plain text. */
export function IsPersonName(example: string, { required = true } = {}): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      required,
      minLength: 2,
      maxLength: 100,
      example,
      description:
        'At least one visible character; no control characters or line breaks, and nothing that overrides the direction of text',
    }),
    ...(required ? [] : [IsOmittable()]),
    IsPlainText(),
    MinLength(2, { message: '$property must be at least 2 characters long' }),
    MaxLength(100, { message: '$property must be at most 100 characters long' }),
    IsNotBlank(),
  );
}

/** The `role` that an account is to have; null for none. */
export function IsRoleOrNone(): PropertyDecorator {
  return IsIn([...ROLES, null], { message: `role must be ${ROLES.join(', ')} or null` });
}
