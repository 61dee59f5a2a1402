import { getMetadataStorage } from 'class-validator';

/** The rules of class-validator that stand in a class, and in those that it extends. */
export function rulesOf(type: object) {
  return getMetadataStorage().getTargetValidationMetadatas(type as never, '', false, false);
}

/** @param type what the compiler wrote down for a parameter; only of a class anything is validated */
export function hasRules(type: unknown): boolean {
  return typeof type === 'function' && rulesOf(type).length > 0;
}
