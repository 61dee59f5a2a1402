import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsISO8601, IsRFC3339, Matches } from 'class-validator';
import { IsOmittable } from './is-omittable.decorator.js';

interface DateTime {
  description?: string;
  example?: string;
  isOptional?: boolean;
}

/** A moment with its offset (RFC 3339), on a day of the calendar: JavaScript would take the 30th of February for a day in March. */
export function IsDateTime(documented: DateTime = {}): PropertyDecorator {
  const { description, example = '2026-01-31T09:30:00Z', isOptional = false } = documented;
  return applyDecorators(
    ApiProperty({ type: String, format: 'date-time', example, description, required: !isOptional }),
    // RFC 3339 takes `t` and `z` as well.
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toUpperCase() : value)),
    IsRFC3339({ message: '$property must be a date and time with its offset (RFC 3339)' }),
    IsISO8601({ strict: true }, { message: '$property must be a day of the calendar' }),
    // In UTC, those of the years 0 and 9999 may be in another year, of five digits or negative, which RFC 3339 cannot say.
    Matches(/^(?!0000|9999)/, { message: '$property must be in the years 1 to 9998' }),
    ...(isOptional ? [IsOmittable()] : []),
  );
}
