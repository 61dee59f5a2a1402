import type { Document } from '../values/document.js';
import type { IndexDefinition } from './indexes.js';

export interface Collection {
  readonly id: number;
  readonly namespace: string;
  readonly database: string;
  readonly name: string;
  readonly options: Document;
  readonly indexes: readonly IndexDefinition[];
}
