import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiExtraModels, ApiOperation, getSchemaPath } from '@nestjs/swagger';
import { SUCCESS_MESSAGE } from '../http/index.js';
/** Extension under which an operation's success travels to the OpenAPI document; it is removed there. */
export const SUCCESS_EXTENSION = 'x-success';
/** What a route does and answers: status code, envelope message and OpenAPI text, in one place. */
export function Operation({ summary, description, status = 200, message, data, page, }) {
    const model = page ?? (Array.isArray(data) ? data[0] : data);
    const success = {
        status,
        message,
        dataRef: model ? getSchemaPath(model) : null,
        shape: page ? 'page' : Array.isArray(data) ? 'list' : 'single',
    };
    return applyDecorators(HttpCode(status), SetMetadata(SUCCESS_MESSAGE, message), ApiOperation({ summary, description }), ApiExtension(SUCCESS_EXTENSION, success), ...(model ? [ApiExtraModels(model)] : []));
}
//# sourceMappingURL=operation.decorator.js.map