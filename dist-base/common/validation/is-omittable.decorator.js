import { ValidateIf } from 'class-validator';
/** The field may be left out. `null` is not left out: where class-validator's own IsOptional would let it pass, this does not. */
export function IsOmittable() {
    return ValidateIf((_object, value) => value !== undefined);
}
//# sourceMappingURL=is-omittable.decorator.js.map