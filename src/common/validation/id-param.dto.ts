import { ApiProperty } from '@nestjs/swagger';
import { ID_PATTERN, IsObjectId } from './object-id.decorator.js';

/** The `id` of a path (spec: "Conventions for other routes' parameters"). */
export class IdParamDto {
  @ApiProperty({ pattern: ID_PATTERN, example: '66f2a1b3c4d5e6f708192a3b', description: 'The `_id` of an entry' })
  @IsObjectId('id')
  id: string;
}
