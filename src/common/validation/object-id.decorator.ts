import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { Matches } from 'class-validator';
import { ApiObjectId, type DocumentedObjectId, ID_PATTERN } from '../openapi/index.js';
import { IsOmittable } from './is-omittable.decorator.js';

/**
 * The `_id` of an entry in a request: 24 hexadecimal characters. Upper case is made lower case, since keys of caches and limits
 * are made of it. (class-validator's own rule accepts `0x…` too, which MongoDB does not.)
 */
export function IsObjectId(documented: DocumentedObjectId = {}): PropertyDecorator {
  return applyDecorators(
    ApiObjectId(documented),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    Matches(new RegExp(ID_PATTERN), { message: '$property must be 24 hexadecimal characters' }),
    ...(documented.isOptional ? [IsOmittable()] : []),
  );
}
