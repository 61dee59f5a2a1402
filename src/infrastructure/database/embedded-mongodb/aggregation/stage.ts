import type { Scope } from '../expressions/expression.js';
import type { Document } from '../values/document.js';

/** What becomes of the documents that come to it. It shares what it leaves alone with them, and changes none of them. */
export type Stage = (documents: Document[]) => Document[];

/** What stages need of the command, and of the pipeline around them, in which they stand. */
export interface PipelineScope extends Scope {
  /** Those that clients have used and not ended, with the time of their last command. */
  sessions: ReadonlyMap<string, Date>;
  /**
   * Documents of another collection, in the order in which they came: all, or those that an index finds for a filter.
   * The same array for the same question while the command runs.
   */
  documentsOf(collection: string, filter?: Document): Document[];
}

/** Compiles further stages. */
export type Compile = (stages: readonly unknown[], scope: PipelineScope, before?: number) => Stage;
