import { applyDecorators } from '@nestjs/common';
import { IsISO8601, IsRFC3339, Matches } from 'class-validator';

/** A moment with its offset (RFC 3339), on a day of the calendar: JavaScript would take the 30th of February for a day in March. */
export function IsDateTime(): PropertyDecorator {
  return applyDecorators(
    IsRFC3339({ message: '$property must be a date and time with its offset (RFC 3339)' }),
    IsISO8601({ strict: true }, { message: '$property must be a day of the calendar' }),
    // In UTC, these may be in another year, of five digits or negative, which RFC 3339 cannot say.
    Matches(/^(?!0000|9999)/, { message: '$property must be in the years 1 to 9998' }),
  );
}
