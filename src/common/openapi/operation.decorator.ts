import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiConsumes, ApiExtension, ApiExtraModels, ApiOperation, getSchemaPath } from '@nestjs/swagger';

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
}

interface OperationOptions {
  summary: string;
  /** What a caller has to know and cannot see from the fields: effects, order, bounds. */
  description: string;
  /** 200 unless said otherwise; Nest would answer a POST with 201. */
  status?: number;
  /** The `message` of a successful answer. */
  message: string;
  /** The class of `data`, or `[Class]` for an array of them. */
  data?: Type | [Type];
  /** The class of the entries, where `data` is a page of a list. */
  page?: Type;
  /** Media type of the answer, where it is a file or a stream in place of JSON: `text/csv`, `text/event-stream`. */
  produces?: string;
  /**
   * Media type of the body, where it is none of JSON: a form (`application/x-www-form-urlencoded`), or what a parser was added
   * for. Browsers send forms across origins unasked: not for a route that lets somebody in by what a browser adds by itself.
   */
  consumes?: string;
  /** Bytes that a body may have, where the service's 16 KiB are too few. It is held in memory before any guard has seen it. */
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
  const success: SuccessDescription = {
    status,
    message,
    mediaType: produces,
    dataRef: model ? getSchemaPath(model) : null,
    shape: page ? 'page' : Array.isArray(data) ? 'list' : 'single',
  };
  return applyDecorators(
    HttpCode(status),
    RouteConfig({ successMessage: message, consumes, bodyLimit, waits }),
    ApiOperation({ summary, description }),
    ApiExtension(SUCCESS_EXTENSION, success),
    ...(consumes ? [ApiConsumes(consumes)] : []),
    ...(model ? [ApiExtraModels(model)] : []),
  );
}
