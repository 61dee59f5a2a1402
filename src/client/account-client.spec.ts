import { describe, expect, expectTypeOf, it } from 'vitest';
import { createClient } from './account-client.js';
import type { Data } from './operation-types.js';
import { memoryStore } from './session-store.js';

interface Operations {
  listParcels: { parameters: { query?: { label?: string[]; since?: Date; page?: number } }; responses: object };
}
interface OwnOperations {
  getParcel: { parameters: { path: { id: string } }; responses: object };
  changeParcel: {
    parameters: { path: { id: string }; query?: { urgent?: boolean; note?: string } };
    requestBody: { content: { 'application/json': { label: string } } };
    responses: object;
  };
  signParcel: {
    parameters: object;
    requestBody: { content: { 'application/json': { refresh_token: string } } };
    responses: object;
  };
}

describe('The typed client', () => {
  it('sends each entry of a list by itself, and nothing of what is left out', async () => {
    const asked: unknown[] = [];
    const client = createClient<Operations>(
      { listParcels: 'GET /api/parcels !' },
      {
        fetch: (input) => {
          asked.push(input);
          return Promise.resolve(Response.json({ message: 'Parcels' }));
        },
      },
    );
    await client.listParcels({ label: ['a,b', 'c'], since: new Date(0), page: undefined });
    expect(asked).toEqual(['/api/parcels?label=a%2Cb&label=c&since=1970-01-01T00%3A00%3A00.000Z']);
  });

  /** A client with a session, of a service which answers so. */
  const parcels = (answer: () => Response) => {
    const store = memoryStore();
    store.write({ token: 'at', refresh_token: 'rt', expires_at: Infinity });
    const asked: { path: string; init: RequestInit }[] = [];
    const api = createClient<OwnOperations>(
      {
        getParcel: 'GET /api/parcels/{id}',
        changeParcel: 'PATCH /api/parcels/{id}{?urgent,note}',
        signParcel: 'POST /api/parcels',
      },
      {
        store,
        fetch: (input, init = {}) => {
          asked.push({ path: input as string, init });
          return Promise.resolve(answer());
        },
      },
    );
    return { api, asked };
  };

  it('has a parameter of the path in the path alone, and nothing of it is a path of its own', async () => {
    const { api, asked } = parcels(() => Response.json({ message: 'Parcel' }));
    await api.getParcel({ id: '../users?x=1#y' });
    await api.changeParcel({ id: 'a/b', label: 'c' });
    expect(asked.map(({ path, init }) => [path, init.body])).toEqual([
      ['/api/parcels/..%2Fusers%3Fx%3D1%23y', undefined],
      ['/api/parcels/a%2Fb', '{"label":"c"}'],
    ]);
  });

  it('leads to no other path by a parameter that is made of dots: the service refuses what it sends', async () => {
    const { api, asked } = parcels(() => Response.json({ message: 'Parcel' }));
    for (const id of ['.', '..']) await api.getParcel({ id });
    await api.getParcel({ id: '..a' });
    const pathOf = (path: string) => new URL(path, 'https://accounts.example').pathname;
    expect(asked.map(({ path }) => pathOf(path))).toEqual(['/api/parcels/%', '/api/parcels/%', '/api/parcels/..a']);
  });

  it('gives its own refresh token to the operations alone that end a session', async () => {
    const { api, asked } = parcels(() => Response.json({ message: 'Parcel' }));
    await api.signParcel({ refresh_token: 'theirs' });
    // @ts-expect-error of another operation it is a field like any
    await api.signParcel();
    expect(asked.map(({ init }) => init.body)).toEqual(['{"refresh_token":"theirs"}', '{}']);
  });

  it('has a parameter of the query in the query alone, of an operation with a body too', async () => {
    const { api, asked } = parcels(() => Response.json({ message: 'Parcel' }));
    await api.changeParcel({ id: '1', label: 'c', urgent: true });
    await api.changeParcel({ id: '1', label: 'c', urgent: false, note: 'a&b' });
    expect(asked.map(({ path, init }) => [path, init.body])).toEqual([
      ['/api/parcels/1?urgent=true', '{"label":"c"}'],
      ['/api/parcels/1?urgent=false&note=a%26b', '{"label":"c"}'],
    ]);
  });

  it('has nothing for an answer that may be empty, as its type says', async () => {
    interface Content {
      content: { 'application/json': { data: { label: string } } };
    }
    interface Empty {
      content?: never;
    }
    expectTypeOf<Data<{ responses: { 200: Content; 201: Content } }>>().toEqualTypeOf<{ label: string }>();
    expectTypeOf<Data<{ responses: { 200: Content; 204: Empty } }>>().toEqualTypeOf<{ label: string } | undefined>();
    expectTypeOf<Data<{ responses: { 204: Empty } }>>().toEqualTypeOf<void>();
    const { api } = parcels(() => new Response(null, { status: 204 }));
    expect(await api.getParcel({ id: '1' })).toBeUndefined();
  });

  it('takes an answer that breaks off for none, whatever its status', async () => {
    for (const status of [200, 404]) {
      const { api } = parcels(() => {
        const broken = new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode('{"data":')),
          pull: (controller) => controller.error(new TypeError('terminated')),
        });
        return new Response(broken, { status });
      });
      await expect(api.getParcel({ id: '1' })).rejects.toThrow('terminated');
    }
  });

  it('takes what something else answered for a failure, even if that calls itself a success', async () => {
    const page = '<!doctype html><title>Sign in to this network</title>';
    for (const text of [page, '{}', '{"status":"ok"}', '"ok"', 'null', '']) {
      const { api } = parcels(() => new Response(text, { status: 200 }));
      await expect(api.getParcel({ id: '1' }), text).rejects.toMatchObject({ code: 'unknown', status: 200 });
    }
  });

  it('is at the address with or without a slash at its end', async () => {
    for (const baseUrl of ['https://accounts.example/v1', 'https://accounts.example/v1/']) {
      const asked: unknown[] = [];
      const send = (input: unknown) => {
        asked.push(input);
        return Promise.resolve(Response.json({ message: 'Parcels' }));
      };
      await createClient<Operations>({ listParcels: 'GET /api/parcels !' }, { baseUrl, fetch: send }).listParcels();
      expect(asked).toEqual(['https://accounts.example/v1/api/parcels']);
    }
  });
});
