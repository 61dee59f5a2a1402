import { evaluate, evaluateVariables } from '../aggregation/expressions.js';
import { CommandError } from '../command-error.js';
import { foldFor, sameCollation } from '../values/collation.js';
import { isDocument } from '../values/document.js';
import { isNumber, toInteger } from '../values/numbers.js';
/** One command on its way through a handler. */
export class CommandContext {
    engine;
    command;
    name;
    view;
    session;
    transaction;
    constructor(engine, command, name, 
    /** What a handler of kind read or write works on. */
    view, session, transaction) {
        this.engine = engine;
        this.command = command;
        this.name = name;
        this.view = view;
        this.session = session;
        this.transaction = transaction;
    }
    /** The same, for a command inside this one. */
    of(command, name) {
        return new CommandContext(this.engine, command, name, this.view, this.session, this.transaction);
    }
    get database() {
        const database = this.command['$db'];
        if (typeof database === 'string' && database !== '' && !/[/\\. "$\0]/.test(database))
            return database;
        throw new CommandError(73, `Invalid database name: '${String(database)}'`);
    }
    get collectionName() {
        const name = this.command[this.name];
        if (typeof name !== 'string' || name === '') {
            throw new CommandError(73, `Invalid namespace specified '${this.database}.${typeof name === 'string' ? name : ''}'`);
        }
        return name;
    }
    get namespace() {
        return `${this.database}.${this.collectionName}`;
    }
    collection(namespace = this.namespace) {
        const current = this.engine.catalogue.find(namespace);
        return this.transaction ? this.transaction.collection(namespace, current) : current;
    }
    /** The collection for a handler that changes documents. */
    writableCollection() {
        const collection = this.collection();
        if (collection && !this.transaction?.written.has(this.namespace)) {
            this.transaction?.written.set(this.namespace, collection);
        }
        return collection;
    }
    /** In a transaction the collection exists by now: the catalogue itself is not transactional. */
    createdCollection() {
        const { catalogue } = this.engine;
        return this.writableCollection() ?? catalogue.create(this.view, this.database, this.collectionName);
    }
    integer(field) {
        const value = this.command[field];
        return value === undefined || value === null ? undefined : toInteger(value, field);
    }
    flag(field) {
        const value = this.command[field];
        return value === true || (isNumber(value) && Number(value) !== 0);
    }
    /** @throws CommandError 14 when the field is there and no document */
    documentField(field, from = this.command) {
        const value = from[field];
        if (value === undefined || value === null)
            return undefined;
        if (isDocument(value))
            return value;
        throw new CommandError(14, `BSON field '${this.name}.${field}' is the wrong type, expected type 'object'`);
    }
    /** The filter of a command or statement with the collation and variables that go with it. */
    query(collection, from, filterField, variablesField = 'let') {
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
//# sourceMappingURL=command-context.js.map