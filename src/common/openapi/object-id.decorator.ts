import { ApiProperty } from '@nestjs/swagger';

export const ID_PATTERN = '^[0-9a-fA-F]{24}$';

export interface DocumentedObjectId {
  description?: string;
  isOptional?: boolean;
}

/** The `_id` of an entry, as 24 hexadecimal characters. */
export function ApiObjectId({ description, isOptional = false }: DocumentedObjectId = {}): PropertyDecorator {
  return ApiProperty({ pattern: ID_PATTERN, example: '66f2a1b3c4d5e6f708192a3b', description, required: !isOptional });
}
