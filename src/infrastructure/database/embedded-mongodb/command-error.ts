/** An error that the client is told, with MongoDB's code for it. */
export class CommandError extends Error {
  /** @param details further top-level fields of the error reply, e.g. keyPattern and keyValue */
  constructor(
    readonly code: number,
    message: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** The refusal of a feature that only MongoDB offers. */
export function unsupported(feature: string, code = 115): CommandError {
  return new CommandError(code, `${feature} is not supported by the embedded store: use MongoDB for it`);
}

/** @throws CommandError for arguments that a stage or an operator does not know */
export function refuseOthers(name: string, code: number, others: object): void {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new CommandError(code, `unknown argument to ${name}: ${unknown}`);
}
