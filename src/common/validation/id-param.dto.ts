import { ApiProperty } from '@nestjs/swagger';
import { IsMongoId } from 'class-validator';

export const ID_PATTERN = '^[0-9a-fA-F]{24}$';

/** The `id` of a path (spec: "Conventions for other routes' parameters"). */
export class IdParamDto {
  @ApiProperty({ pattern: ID_PATTERN, example: '66f2a1b3c4d5e6f708192a3b', description: 'The `_id` of an entry' })
  @IsMongoId({ message: 'id must be 24 hexadecimal characters' })
  id: string;
}
