import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Matches } from 'class-validator';
import { IsOmittable } from './is-omittable.decorator.js';

export const ID_PATTERN = '^[0-9a-fA-F]{24}$';

interface ObjectId {
  description?: string;
  isOptional?: boolean;
}

/**
 * The `_id` of an entry in a request: 24 hexadecimal characters. Upper case is made lower case, since keys of caches and limits
 * are made of it. (class-validator's own rule accepts `0x…` too, which MongoDB does not.)
 */
export function IsObjectId({ description, isOptional = false }: ObjectId = {}): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ pattern: ID_PATTERN, example: '66f2a1b3c4d5e6f708192a3b', description, required: !isOptional }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    Matches(new RegExp(ID_PATTERN), { message: '$property must be 24 hexadecimal characters' }),
    ...(isOptional ? [IsOmittable()] : []),
  );
}
