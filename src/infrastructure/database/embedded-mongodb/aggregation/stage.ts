import type { Scope } from '../expressions/expression.js';
import type { Document } from '../values/document.js';

/** Turns the incoming documents into others. It never changes them, and shares their unchanged parts. */
export type Stage = (documents: Document[]) => Document[];

/** What stages need from their command and from the pipeline around them. */
export interface PipelineScope extends Scope {
  /** The sessions that clients have used and not ended, with the time of their last command. */
  sessions: ReadonlyMap<string, Date>;
  /**
   * Documents of another collection in the order of insertion: all, or those that an index finds for a filter. Repeated calls
   * within a command return the same array.
   */
  documentsOf(collection: string, filter?: Document): Document[];
}

/** Compiles further stages. */
export type Compile = (stages: readonly unknown[], scope: PipelineScope, before?: number) => Stage;
