const CODE_NAMES: Record<number, string> = {
  1: 'InternalError',
  2: 'BadValue',
  9: 'FailedToParse',
  14: 'TypeMismatch',
  15: 'Overflow',
  22: 'InvalidBSON',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  52: 'DollarPrefixedFieldName',
  53: 'InvalidIdField',
  54: 'NotSingleValueField',
  56: 'EmptyFieldName',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  112: 'WriteConflict',
  115: 'CommandNotSupported',
  125: 'CommandFailed',
  146: 'ExceededMemoryLimit',
  168: 'InvalidPipelineOperator',
  171: 'CannotIndexParallelArrays',
  197: 'InvalidIndexSpecificationOption',
  225: 'TransactionTooOld',
  241: 'ConversionFailure',
  251: 'NoSuchTransaction',
  263: 'OperationNotSupportedInTransaction',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  14031: 'OutOfDiskSpace',
};

/** An error that the client is told, with MongoDB's code for it. */
export class CommandError extends Error {
  readonly codeName: string;

  /** @param details further top-level fields of the error reply, e.g. keyPattern and keyValue */
  constructor(
    readonly code: number,
    message: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
    this.codeName = CODE_NAMES[code] ?? `Location${code}`;
  }

  /** Whether the whole transaction in which it occurred may be repeated. */
  get isTransient(): boolean {
    return [112, 251].includes(this.code);
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
