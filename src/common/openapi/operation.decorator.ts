import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtension, ApiExtraModels, ApiOperation, getSchemaPath } from '@nestjs/swagger';

/** Extension under which an operation's success travels to the OpenAPI document; it is removed there. */
export const SUCCESS_EXTENSION = 'x-success';

export interface SuccessDescription {
  status: number;
  message: string;
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
}

/** What a route does and answers: status code, envelope message and OpenAPI text, in one place. */
export function Operation({
  summary,
  description,
  status = 200,
  message,
  data,
  page,
}: OperationOptions): MethodDecorator {
  const model = page ?? (Array.isArray(data) ? data[0] : data);
  const success: SuccessDescription = {
    status,
    message,
    dataRef: model ? getSchemaPath(model) : null,
    shape: page ? 'page' : Array.isArray(data) ? 'list' : 'single',
  };
  return applyDecorators(
    HttpCode(status),
    RouteConfig({ successMessage: message }),
    ApiOperation({ summary, description }),
    ApiExtension(SUCCESS_EXTENSION, success),
    ...(model ? [ApiExtraModels(model)] : []),
  );
}
