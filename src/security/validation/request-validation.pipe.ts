import { type ArgumentMetadata, Injectable, type ValidationError, ValidationPipe } from '@nestjs/common';
import { ApiError, type FieldError } from '../../common/errors/index.js';

/** Deepest nesting of a body. This service's bodies are flat; class-transformer overflows the stack at about 1,500 levels. */
const MAX_DEPTH = 8;

/** Validates every body, query and parameter against its DTO; fields that the DTO does not have are refused. */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  constructor() {
    super({
      whitelist: true,
      forbidNonWhitelisted: true,
      transform: true,
      stopAtFirstError: true,
      forbidUnknownValues: true,
      exceptionFactory: (errors: ValidationError[]) =>
        new ApiError('validation_failed', { fields: errors.flatMap((error) => fieldErrors(error)) }),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'custom') return value;
    if (
      metadata.type === 'body' &&
      (value === null || Array.isArray(value) || (value !== undefined && typeof value !== 'object'))
    ) {
      throw ApiError.invalidField('body', 'body must be a JSON object');
    }
    if (isDeeperThan(value, MAX_DEPTH))
      throw ApiError.invalidField(metadata.data ?? metadata.type, 'is nested too deeply');
    // class-validator takes what every object inherits (`toString`) for fields of the DTO.
    const inherited = inheritedNameIn(value);
    if (inherited !== undefined) throw ApiError.invalidField(inherited, `property ${inherited} should not exist`);
    return super.transform(value, metadata);
  }
}

function fieldErrors(error: ValidationError, parent = ''): FieldError[] {
  const field = parent ? `${parent}.${error.property}` : error.property;
  const message =
    error.value === undefined && error.constraints ? `${field} is required` : Object.values(error.constraints ?? {})[0];
  return [
    ...(message ? [{ field, message }] : []),
    ...(error.children ?? []).flatMap((child) => fieldErrors(child, field)),
  ];
}

/** Without recursion, since an attacker chooses the depth. */
function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

/** Path of the first field, at any depth, that is called like something which every object inherits. */
function inheritedNameIn(value: unknown): string | undefined {
  let level: [path: string, item: unknown][] = [['', value]];
  while (level.length > 0) {
    const fields = level.flatMap(([path, item]) =>
      typeof item === 'object' && item !== null
        ? Object.entries(item).map(([name, part]) => ({
            name,
            path: path ? `${path}.${name}` : name,
            part: part as unknown,
          }))
        : [],
    );
    const inherited = fields.find(({ name }) => name in Object.prototype);
    if (inherited) return inherited.path;
    level = fields.map(({ path, part }) => [path, part]);
  }
  return undefined;
}
