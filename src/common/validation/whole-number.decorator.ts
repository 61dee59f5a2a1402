import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { IsOmittable } from './is-omittable.decorator.js';

interface WholeNumber {
  minimum: number;
  maximum: number;
  /** The field's initial value, where it has one. */
  default?: number;
  /** The same as `default`, unless given. */
  example?: number;
  description?: string;
}

/** A number of a query, which may be left out: plain decimal digits. Anything else (`1e2`, `0x10`, ` 20`, `05`) is refused. */
export function IsWholeNumber({ minimum, maximum, ...documented }: WholeNumber): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: 'integer', minimum, maximum, example: documented.default, ...documented }),
    Transform(({ value }: { value: unknown }) => (isDecimal(value) ? Number(value) : value)),
    // Checked in this order; the first rule that fails is reported.
    IsInt({ message: '$property must be a whole number' }),
    Min(minimum, { message: `$property must be ${minimum} or more` }),
    Max(maximum, { message: `$property must be at most ${maximum}` }),
    IsOmittable(),
  );
}

function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && /^(?:0|-?[1-9]\d{0,14})$/.test(value);
}
