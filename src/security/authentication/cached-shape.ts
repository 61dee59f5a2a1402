/** A check of each field, so that the compiler asks for that of a new one. */
export type ShapeOf<T> = Record<keyof T, (value: unknown) => boolean>;

/** Whether a cached value has every field, each of its kind; it may have more. */
export function hasShape<T>(value: unknown, shape: ShapeOf<T>): value is T {
  if (typeof value !== 'object' || value === null) return false;
  for (const field in shape) if (!shape[field]((value as Record<string, unknown>)[field])) return false;
  return true;
}

export function isText(value: unknown): boolean {
  return typeof value === 'string';
}

export function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
}
