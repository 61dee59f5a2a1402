/**
 * Hook of a provider that remembers things beside the database: in this process, in Redis. The test kit of
 * `dev-tools` calls it after all collections were emptied; in production nobody does.
 */
export interface OnCleanSlate {
  /** Forgets everything, as if the process had just started on empty stores. */
  onCleanSlate(): void | Promise<void>;
}
