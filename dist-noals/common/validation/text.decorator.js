import { applyDecorators } from '@nestjs/common';
import { IsString, Matches, ValidateBy } from 'class-validator';
/** A string without control characters, line ends or lone surrogates: fit for a log line, a mail and a database. */
export function IsPlainText() {
    return applyDecorators(IsString({ message: '$property must be a string' }), IsWellFormed(), Matches(/^[^\p{Cc}\u2028\u2029]*$/u, { message: '$property must not contain control characters' }));
}
/** Lone surrogates cannot be stored as UTF-8: two different strings would become the same. */
export function IsWellFormed() {
    return ValidateBy({
        name: 'isWellFormed',
        validator: {
            validate: (value) => typeof value === 'string' && !/\p{Surrogate}/u.test(value),
            defaultMessage: () => '$property must be well-formed Unicode text',
        },
    });
}
//# sourceMappingURL=text.decorator.js.map