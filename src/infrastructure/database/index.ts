export { DatabaseServer } from './database-connection.js';
export { duplicateKeyField, isDatabaseUnavailable, translateDatabaseError } from './database-error-translator.js';
export { DatabaseModule } from './database.module.js';
export { findPage, findPageOf, startsWith } from './find-page.js';
export { Transactions } from './transactions.js';
