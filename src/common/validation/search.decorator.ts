import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { MaxLength, MinLength } from 'class-validator';
import { IsOmittable } from './is-omittable.decorator.js';
import { IsPlainText, Trimmed } from './text.decorator.js';

const MAX_LENGTH = 254;

/**
 * The `search` of a list: optional, 1 to 254 characters, without the blanks around them. The repository takes it literally, see
 * `startsWith`.
 */
export function IsSearch(description: string, example: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      minLength: 1,
      maxLength: MAX_LENGTH,
      example,
      description: `${description}; blanks around it do not count`,
    }),
    Trimmed(),
    IsOmittable(),
    IsPlainText(),
    MinLength(1, { message: '$property must not be empty' }),
    MaxLength(MAX_LENGTH, { message: `$property must be at most ${MAX_LENGTH} characters long` }),
  );
}
