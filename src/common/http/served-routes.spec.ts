import { beforeEach, describe, expect, it } from 'vitest';
import { ServedRoutes } from './served-routes.js';

describe('ServedRoutes', () => {
  let routes: ServedRoutes;
  beforeEach(() => {
    routes = new ServedRoutes();
    routes.add('POST', '/auth/login');
    routes.add(['GET', 'HEAD'], '/api/users/:id');
    routes.add('DELETE', '/api/users/:id');
    routes.add('OPTIONS', '*');
  });

  it.each([
    ['/auth/login', ['POST']],
    ['/auth/login?x=1', ['POST']],
    ['/auth/%6cogin', ['POST']],
    ['http://a.example:3000/auth/login?x=1', ['POST']],
    ['http://a.example', []],
    ['/api/users/42', ['DELETE', 'GET', 'HEAD']],
    ['/api/users/', []],
    ['/api/users/42/x', []],
    ['/auth/LOGIN', []],
    ['/%zz', []],
    ['/', []],
  ])('knows the methods of %s', (url, methods) => {
    expect(routes.methodsOf(url)).toEqual(methods);
  });
});
