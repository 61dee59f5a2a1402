import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inCohorts } from './cohorts.js';

const response = {} as ServerResponse;
const requestOf = (url: string) => ({ url }) as IncomingMessage;

describe('Requests of one turn of the event loop', () => {
  it('take each step together, in the order of their arrival', async () => {
    const steps: string[] = [];
    const listener = inCohorts(({ url }) => {
      steps.push(`${url} begins`);
      void Promise.resolve().then(() => steps.push(`${url} goes on`));
    });
    for (const url of ['a', 'b', 'c']) listener(requestOf(url), response);
    expect(steps).toEqual([]);
    await nextTurn();
    expect(steps).toEqual(['a begins', 'b begins', 'c begins', 'a goes on', 'b goes on', 'c goes on']);
  });

  it('take it in groups where there are many, so that none waits for hundreds', async () => {
    const steps: string[] = [];
    const listener = inCohorts(({ url }) => {
      void Promise.resolve().then(() => steps.push(url as string));
      steps.push(url as string);
    });
    const urls = Array.from({ length: 40 }, (_, i) => String(i));
    for (const url of urls) listener(requestOf(url), response);
    await nextTurn();
    const groups = [urls.slice(0, 16), urls.slice(16, 32), urls.slice(32)];
    expect(steps).toEqual(groups.flatMap((group) => [...group, ...group]));
  });

  it('keep each the context of its own arrival', async () => {
    const storage = new AsyncLocalStorage<string>();
    const contexts: (string | undefined)[] = [];
    const listener = inCohorts(() => contexts.push(storage.getStore()));
    for (const url of ['a', 'b']) storage.run(url, () => listener(requestOf(url), response));
    listener(requestOf('c'), response);
    await nextTurn();
    expect(contexts).toEqual(['a', 'b', undefined]);
  });
});
