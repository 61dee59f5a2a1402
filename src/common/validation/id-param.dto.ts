import { IsObjectId } from './object-id.decorator.js';

/** The `id` of a path (spec: "Conventions for other routes' parameters"). */
export class IdParamDto {
  @IsObjectId({ description: 'The `_id` of an entry' })
  id: string;
}
