import { compileVariables } from '../expressions/compile.js';
import type { Scope, Variables } from '../expressions/expression.js';
import { CommandError } from '../command-error.js';
import type { Collection } from '../engine/indexes.js';
import type { Engine } from '../engine/engine.js';
import type { Query } from '../engine/find.js';
import { isTruthy, toDouble } from '../values/numbers.js';
import type { SessionOfCommand, Transaction } from '../engine/sessions.js';
import type { WritableView } from '../storage/view.js';
import { checkCollation, foldFor } from '../values/collation.js';
import { isDocument, type Document } from '../values/document.js';
import { isNumber } from '../values/bson-types.js';

/** One command on its way through a handler. */
export class CommandContext {
  constructor(
    readonly engine: Engine,
    readonly command: Document,
    readonly name: string,
    /** What the handler reads and writes; writes of a read command are discarded. */
    readonly view: WritableView,
    readonly session?: SessionOfCommand,
    readonly transaction?: Transaction,
  ) {}

  /** A context for a command inside this one. */
  of(command: Document, name: string): CommandContext {
    return new CommandContext(this.engine, command, name, this.view, this.session, this.transaction);
  }

  get database(): string {
    const database = this.command.$db;
    if (typeof database === 'string' && database !== '' && !/[/\\. "$\0]/.test(database)) return database;
    throw new CommandError(73, `Invalid database name: '${String(database)}'`);
  }

  get collectionName(): string {
    const name = this.command[this.name];
    if (typeof name === 'string' && name !== '') return name;
    throw new CommandError(73, `Invalid namespace specified '${this.database}.'`);
  }

  get namespace(): string {
    return `${this.database}.${this.collectionName}`;
  }

  collection(namespace = this.namespace): Collection | undefined {
    return this.transaction?.collections.get(namespace) ?? this.engine.catalogue.find(namespace);
  }

  /** The collection for a handler that changes documents. */
  writableCollection(): Collection | undefined {
    const collection = this.collection();
    if (collection && !this.transaction?.written.has(this.namespace)) {
      this.transaction?.written.set(this.namespace, collection);
    }
    return collection;
  }

  /** The same; creates the collection if it does not exist. */
  createdCollection(): Collection {
    const known = this.writableCollection();
    if (known) return known;
    if (!this.transaction) return this.engine.catalogue.create(this.view, this.database, this.collectionName);
    this.engine.createCollection(this.database, this.collectionName);
    return this.writableCollection() as Collection;
  }

  /** A limit or the like: of a fraction the whole, of NaN zero. @throws CommandError 51024 below zero */
  amount(field: string, from: Document = this.command): number | undefined {
    const value = from[field];
    if (value === undefined || value === null) return undefined;
    if (!isNumber(value)) throw new CommandError(14, `Expected ${field} to be a number`);
    const amount = Math.trunc(toDouble(value)) || 0;
    if (amount >= 0) return amount;
    throw new CommandError(51024, `BSON field '${field}' value must be >= 0, actual value '${amount}'`);
  }

  flag(field: string): boolean {
    return isTruthy(this.command[field]);
  }

  /** @throws CommandError 14 if the field is present and not a document */
  documentField(field: string, from: Document = this.command): Document | undefined {
    const value = from[field];
    if (value === undefined || value === null) return undefined;
    if (isDocument(value)) return value;
    throw new CommandError(14, `BSON field '${this.name}.${field}' is the wrong type, expected type 'object'`);
  }

  /** @throws CommandError 14 if the field is not an array of documents */
  documentsField(field: string): Document[] {
    const value = this.command[field];
    if (Array.isArray(value) && value.every(isDocument)) return value;
    throw new CommandError(14, `BSON field '${this.name}.${field}' must be an array of objects`);
  }

  /** The variables of a statement, or else those of the whole command; each may use those before it. */
  private variables(from: Document): Variables {
    const given = this.documentField('c', from) ?? this.documentField('let') ?? {};
    return Object.entries(given).reduce<Variables>(
      (known, [name, value]) => {
        const { [name]: found } = compileVariables({ [name]: value }, { variables: known })({}, known);
        return { ...known, [name]: found };
      },
      { NOW: this.engine.now() },
    );
  }

  /** The scope for the expressions of a command or statement. */
  scope(collection: Collection | undefined, from: Document = this.command): Scope {
    checkCollation(from.collation);
    return { variables: this.variables(from), fold: foldFor(from.collation ?? collection?.options.collation) };
  }

  /** The compiled filter of a command or statement, with its collation and variables. */
  query(collection: Collection | undefined, filterField: string, from: Document = this.command): Query {
    const filter = this.documentField(filterField, from);
    // A filter that is undefined by mistake, and sent as null, would delete everything.
    if (!filter && filterField === 'q') {
      throw new CommandError(40414, `BSON field '${this.name}.q' is missing but a required field`);
    }
    return { ...this.scope(collection, from), filter: filter ?? {}, hint: from.hint };
  }
}

export type Reply = Document | Buffer;
