import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiConsumes, ApiExtension, ApiExtraModels, ApiOperation, getSchemaPath } from '@nestjs/swagger';
import { hasRules } from './rules-of.js';

/** Extension under which an operation's success travels to the OpenAPI document; it is removed there. */
export const SUCCESS_EXTENSION = 'x-success';

export const JSON_MEDIA_TYPE = 'application/json';

export interface SuccessDescription {
  status: number;
  message: string;
  mediaType: string;
  /** Reference to the schema of `data`; null when the answer has none. */
  dataRef: string | null;
  /** How the schema is used: as it is, as an array of it, or as one page of a list. */
  shape: 'single' | 'list' | 'page';
  /** Whether it takes anything of a class with rules. Single values are refused by pipes of their own, with errors of theirs. */
  isValidated: boolean;
}

interface OperationOptions {
  summary: string;
  /** What a caller needs to know beyond the fields: effects, order, bounds. */
  description: string;
  /** 200 unless said otherwise; Nest would answer a POST with 201. */
  status?: number;
  /** The `message` of a successful answer. */
  message: string;
  /** The class of `data`, or `[Class]` for an array of them. */
  data?: Type | [Type];
  /** The class of the entries, where `data` is a page of a list. */
  page?: Type;
  /** Media type of the answer if it is a file, a text or a stream instead of JSON: `text/csv`, `text/event-stream`. */
  produces?: string;
  /**
   * Media type of the body if it is not JSON: a form (`application/x-www-form-urlencoded`), or one for which a parser was added.
   * Browsers send forms to other origins without a preflight: never use one where a cookie or the like authenticates.
   */
  consumes?: string;
  /** Largest body in bytes, if not the service's 16 KiB. It is held in memory before any guard has run. */
  bodyLimit?: number;
  /** Whether the handler may take longer than the 4.5 s after which any other is answered with a 503. */
  waits?: boolean;
}

/** What a route does and answers: status code, envelope message and OpenAPI text, in one place. */
export function Operation({
  summary,
  description,
  status = 200,
  message,
  data,
  page,
  produces = JSON_MEDIA_TYPE,
  consumes,
  bodyLimit,
  waits,
}: OperationOptions): MethodDecorator {
  const model = page ?? (Array.isArray(data) ? data[0] : data);
  const success: Omit<SuccessDescription, 'isValidated'> = {
    status,
    message,
    mediaType: produces,
    dataRef: model ? getSchemaPath(model) : null,
    shape: page ? 'page' : Array.isArray(data) ? 'list' : 'single',
  };
  const size = bodyLimit ? ` The body has at most ${bodyLimit.toLocaleString('en')} bytes.` : '';
  return applyDecorators(
    HttpCode(status),
    RouteConfig({
      successMessage: message,
      produces: produces === JSON_MEDIA_TYPE ? undefined : produces,
      consumes,
      bodyLimit,
      waits,
    }),
    ApiOperation({ summary, description: `${description}${size}` }),
    (target, name, handler) => {
      const isValidated = parameterTypesOf(target, name).some(hasRules);
      ApiExtension(SUCCESS_EXTENSION, { ...success, isValidated })(target, name, handler);
    },
    ...(consumes ? [ApiConsumes(consumes)] : []),
    ...(model ? [ApiExtraModels(model)] : []),
  );
}

/** As the compiler wrote them down: decorators of methods come after those of their parameters. */
function parameterTypesOf(target: object, name: string | symbol): unknown[] {
  return (Reflect.getMetadata('design:paramtypes', target, name) ?? []) as unknown[];
}
