var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { Injectable, ValidationPipe } from '@nestjs/common';
import { ApiError } from '../../common/errors/index.js';
/** Bodies of this service are flat; class-transformer recurses and overflows the stack at about 1,500 levels. */
const MAX_DEPTH = 8;
/** Checks the shape of every body, query and parameter against its DTO; what the DTO does not name is refused. */
let RequestValidationPipe = class RequestValidationPipe extends ValidationPipe {
    constructor() {
        super({
            whitelist: true,
            forbidNonWhitelisted: true,
            transform: true,
            stopAtFirstError: true,
            forbidUnknownValues: true,
            exceptionFactory: (errors) => new ApiError('validation_failed', { fields: errors.flatMap((error) => fieldErrors(error)) }),
        });
    }
    async transform(value, metadata) {
        if (metadata.type === 'custom')
            return value;
        if (metadata.type === 'body' &&
            (value === null || Array.isArray(value) || (value !== undefined && typeof value !== 'object'))) {
            throw ApiError.invalidField('body', 'body must be a JSON object');
        }
        if (isDeeperThan(value, MAX_DEPTH))
            throw ApiError.invalidField(metadata.data ?? metadata.type, 'is nested too deeply');
        return super.transform(value, metadata);
    }
};
RequestValidationPipe = __decorate([
    Injectable(),
    __metadata("design:paramtypes", [])
], RequestValidationPipe);
export { RequestValidationPipe };
function fieldErrors(error, parent = '') {
    const field = parent ? `${parent}.${error.property}` : error.property;
    const message = error.value === undefined && error.constraints ? `${field} is required` : Object.values(error.constraints ?? {})[0];
    return [
        ...(message ? [{ field, message }] : []),
        ...(error.children ?? []).flatMap((child) => fieldErrors(child, field)),
    ];
}
/** Without recursion: the depth is the attacker's choice. */
function isDeeperThan(value, limit) {
    let level = [value];
    for (let depth = 0; level.length > 0; depth += 1) {
        if (depth > limit)
            return true;
        level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    }
    return false;
}
//# sourceMappingURL=request-validation.pipe.js.map