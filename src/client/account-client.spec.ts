import { describe, expect, it } from 'vitest';
import { createClient } from './account-client.js';

interface Operations {
  listParcels: { parameters: { query?: { label?: string[]; since?: Date; page?: number } }; responses: object };
}

describe('The typed client', () => {
  it('sends each entry of a list by itself, and nothing of what is left out', async () => {
    const asked: unknown[] = [];
    const client = createClient<Operations>(
      { listParcels: 'GET /api/parcels' },
      {
        fetch: (input) => {
          asked.push(input);
          return Promise.resolve(Response.json({}));
        },
      },
    );
    await client.listParcels({ label: ['a,b', 'c'], since: new Date(0), page: undefined });
    expect(asked).toEqual(['/api/parcels?label=a%2Cb&label=c&since=1970-01-01T00%3A00%3A00.000Z']);
  });
});
