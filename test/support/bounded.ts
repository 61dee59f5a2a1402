import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ApiResponse } from './api-client.js';

/** Nothing may take longer than this, whatever is down. */
const LIMIT_MS = 5_000;

export const timed = async (request: Promise<ApiResponse>): Promise<ApiResponse> => {
  const started = Date.now();
  const response = await request;
  expect(Date.now() - started).toBeLessThan(LIMIT_MS);
  return response;
};

export const until = async (condition: () => Promise<boolean>) => {
  const deadline = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('It did not recover');
    await pause(50);
  }
};
