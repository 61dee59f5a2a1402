import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { Matches } from 'class-validator';

export const ID_PATTERN = '^[0-9a-fA-F]{24}$';

/**
 * The `_id` of an entry in a request: 24 hexadecimal characters. Upper case is made lower case, since keys of caches and limits
 * are made of it. (class-validator's own rule accepts `0x…` too, which MongoDB does not.)
 */
export function IsObjectId(field: string): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    Matches(new RegExp(ID_PATTERN), { message: `${field} must be 24 hexadecimal characters` }),
  );
}
