import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';

interface OpaqueText {
  maxLength: number;
  example: string;
  description?: string;
  format?: 'password';
}

/** A token or a present password: any text of 1 to `maxLength` characters, for it is compared and never stored or shown. */
export function IsOpaqueText({ maxLength, ...documented }: OpaqueText): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ minLength: 1, maxLength, ...documented }),
    IsString({ message: '$property must be a string' }),
    MinLength(1, { message: '$property must not be empty' }),
    MaxLength(maxLength, { message: `$property must be at most ${maxLength} characters long` }),
  );
}
