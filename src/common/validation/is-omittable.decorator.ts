import { ValidateIf } from 'class-validator';

/** The field may be left out, but not be `null`, which class-validator's own IsOptional would let pass. */
export function IsOmittable(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== undefined);
}
