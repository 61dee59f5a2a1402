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
    let depth = 0;
    for (const level of levelsOf(value)) {
      if (depth > MAX_DEPTH) {
        const field = metadata.data ?? metadata.type;
        throw ApiError.invalidField(field, `${field} is nested too deeply`);
      }
      depth += 1;
      const unseen = level.find(({ name }) => isUnseen(name))?.path;
      if (unseen !== undefined) throw ApiError.invalidField(unseen, `property ${unseen} should not exist`);
    }
    return super.transform(value, metadata);
  }

  /** What is of no class is left to a pipe of its own: Nest would make `false` of `?open=banana` and 0 of `?size=` before that. */
  protected override transformPrimitive(value: unknown): unknown {
    return value;
  }
}

/** class-validator takes what every object inherits (`toString`) for fields of the DTO; class-transformer leaves out `prototype`. */
function isUnseen(name: string): boolean {
  return name in Object.prototype || name === 'prototype';
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

interface Part {
  name: string;
  path: string;
  item: unknown;
}

/** A value, what is in it, what is in that, and so on. Without recursion, since an attacker chooses the depth. */
function* levelsOf(value: unknown): Generator<Part[]> {
  let level: Part[] = [{ name: '', path: '', item: value }];
  while (level.length > 0) {
    yield level;
    level = level.flatMap(({ path, item }) =>
      Object.entries(typeof item === 'object' && item !== null ? item : {}).map(([name, part]) => ({
        name,
        path: path ? `${path}.${name}` : name,
        item: part as unknown,
      })),
    );
  }
}
