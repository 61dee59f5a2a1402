export type { OnCleanSlate } from './on-clean-slate.js';
