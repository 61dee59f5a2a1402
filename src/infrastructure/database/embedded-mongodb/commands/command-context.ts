import { evaluate, evaluateVariables } from '../aggregation/expressions.js';
import { CommandError } from '../command-error.js';
import type { Collection } from '../engine/catalogue.js';
import type { Engine } from '../engine/engine.js';
import type { Query } from '../engine/find.js';
import type { Transaction } from '../sessions/transaction.js';
import type { WritableView } from '../storage/view.js';
import { foldFor, sameCollation } from '../values/collation.js';
import { isDocument, type Document } from '../values/document.js';
import { isNumber, toInteger } from '../values/numbers.js';

export interface SessionOfCommand {
  session: string;
  /** Present for retryable writes and in transactions. */
  number: bigint | undefined;
  isInTransaction: boolean;
}

/** One command on its way through a handler. */
export class CommandContext {
  constructor(
    readonly engine: Engine,
    readonly command: Document,
    readonly name: string,
    /** What a handler of kind read or write works on. */
    readonly view: WritableView,
    readonly session?: SessionOfCommand,
    readonly transaction?: Transaction,
  ) {}

  /** The same, for a command inside this one. */
  of(command: Document, name: string): CommandContext {
    return new CommandContext(this.engine, command, name, this.view, this.session, this.transaction);
  }

  get database(): string {
    const database = this.command['$db'];
    if (typeof database === 'string' && database !== '' && !/[/\\. "$\0]/.test(database)) return database;
    throw new CommandError(73, `Invalid database name: '${String(database)}'`);
  }

  get collectionName(): string {
    const name = this.command[this.name];
    if (typeof name !== 'string' || name === '') {
      throw new CommandError(
        73,
        `Invalid namespace specified '${this.database}.${typeof name === 'string' ? name : ''}'`,
      );
    }
    return name;
  }

  get namespace(): string {
    return `${this.database}.${this.collectionName}`;
  }

  collection(namespace = this.namespace): Collection | undefined {
    const current = this.engine.catalogue.find(namespace);
    return this.transaction ? this.transaction.collection(namespace, current) : current;
  }

  /** The collection for a handler that changes documents. */
  writableCollection(): Collection | undefined {
    const collection = this.collection();
    if (collection && !this.transaction?.written.has(this.namespace)) {
      this.transaction?.written.set(this.namespace, collection);
    }
    return collection;
  }

  /** In a transaction the collection exists by now: the catalogue itself is not transactional. */
  createdCollection(): Collection {
    const { catalogue } = this.engine;
    return this.writableCollection() ?? catalogue.create(this.view, this.database, this.collectionName);
  }

  integer(field: string): number | undefined {
    const value = this.command[field];
    return value === undefined || value === null ? undefined : toInteger(value, field);
  }

  flag(field: string): boolean {
    const value = this.command[field];
    return value === true || (isNumber(value) && Number(value) !== 0);
  }

  /** @throws CommandError 14 when the field is there and no document */
  documentField(field: string, from: Document = this.command): Document | undefined {
    const value = from[field];
    if (value === undefined || value === null) return undefined;
    if (isDocument(value)) return value;
    throw new CommandError(14, `BSON field '${this.name}.${field}' is the wrong type, expected type 'object'`);
  }

  /** The filter of a command or statement with the collation and variables that go with it. */
  query(collection: Collection | undefined, from: Document, filterField: string, variablesField = 'let'): Query {
    const collation = from['collation'] ?? collection?.options['collation'];
    const letVariables = this.documentField(variablesField, from) ?? this.documentField('let');
    const variables = letVariables && evaluateVariables(letVariables);
    return {
      filter: this.documentField(filterField, from) ?? {},
      fold: foldFor(collation),
      hasCollation: (index) => sameCollation(index.specification['collation'], collation),
      hint: from['hint'],
      ...(variables && { evaluate: (expression, document) => evaluate(expression, document, variables) }),
    };
  }
}

export type Reply = Document | Buffer;

/**
 * - read: synchronous, sees the transaction if there is one
 * - write: synchronous, alone among writers, retried at most once
 * - schema: as write, but refused in transactions, and changes the catalogue
 * - control: everything else
 */
export type CommandHandler =
  | { kind: 'read' | 'write' | 'schema'; run(context: CommandContext): Reply }
  | { kind: 'control'; run(context: CommandContext): Reply | Promise<Reply> };

export type CommandTable = Record<string, CommandHandler>;
