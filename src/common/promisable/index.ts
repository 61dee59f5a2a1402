export { andThen, type Promisable } from './promisable.js';
