import type { Document } from '../values/document.js';

/** Commands that fail on demand, as MongoDB's failCommand, so that tests see how their code takes it. */
export interface FailPoint {
  left: number;
  data: Document;
}
