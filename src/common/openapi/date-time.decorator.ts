import { ApiProperty } from '@nestjs/swagger';

interface DateTime {
  description?: string;
  example?: string | null;
  isNullable?: boolean;
}

/** A moment in an answer, as `toISOString()` writes it: UTC, to the millisecond (RFC 3339). */
export function ApiDateTime(documented: DateTime = {}): PropertyDecorator {
  const { description, example = '2026-01-31T09:30:00.000Z', isNullable = false } = documented;
  const nullable = isNullable ? { nullable: true } : {};
  return ApiProperty({ type: String, format: 'date-time', ...nullable, example, description });
}
