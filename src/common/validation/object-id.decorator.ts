import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { Matches } from 'class-validator';
import { ApiObjectId, ID_PATTERN } from '../openapi/index.js';
import { IsOmittable } from './is-omittable.decorator.js';

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
    ApiObjectId({ description, isOptional }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    Matches(new RegExp(ID_PATTERN), { message: '$property must be 24 hexadecimal characters' }),
    ...(isOptional ? [IsOmittable()] : []),
  );
}
