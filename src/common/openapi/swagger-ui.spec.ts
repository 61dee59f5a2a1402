import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { SWAGGER_UI } from './swagger-ui.js';

interface Interceptors {
  requestInterceptor(request: object): object;
  responseInterceptor(response: object): object;
}

/** The interceptors as a browser gets them: their text, and nothing around it. */
function inPage(pathname = '/docs') {
  const page = {
    location: { origin: 'http://x', pathname },
    sessionStorage: {} as { refreshToken?: string },
    authorised: {} as Record<string, string>,
    /** What is still there after a reload. */
    persisted: {} as Record<string, string>,
    ui: {
      preauthorizeApiKey: (scheme: string, value: string) => void (page.authorised[scheme] = value),
      authActions: {
        logoutWithPersistOption: () => void (page.authorised = page.persisted = {}),
        persistAuthorizationIfNeeded: () => void (page.persisted = { ...page.authorised }),
      },
    },
  };
  const { requestInterceptor, responseInterceptor } = SWAGGER_UI.swaggerOptions as unknown as Interceptors;
  const text = `({ requestInterceptor: ${String(requestInterceptor)}, responseInterceptor: ${String(responseInterceptor)} })`;
  return { page, ...(runInNewContext(text, page) as Interceptors) };
}

describe('Swagger UI', () => {
  const answer = (path: string, data: object | null, ok = true) => ({ ok, url: path, text: JSON.stringify({ data }) });
  const EXAMPLE = 'eyJhbGciOiJIUzI1NiIsInR5cCI6InJ0K2p3dCJ9.e30.c2lnbmF0dXJl';

  it('takes over the tokens of a login, and forgets them at a logout', () => {
    const { page, responseInterceptor, requestInterceptor } = inPage();
    responseInterceptor(answer('http://x/auth/login', { token: 'a', refresh_token: 'r' }));
    expect([page.authorised, page.persisted]).toEqual([{ bearer: 'a' }, { bearer: 'a' }]);
    const body = JSON.stringify({ refresh_token: EXAMPLE });
    expect(requestInterceptor({ url: '/auth/refresh-token', body })).toMatchObject({ body: '{"refresh_token":"r"}' });
    responseInterceptor(answer('http://x/auth/logout', null));
    expect([page.authorised, page.persisted]).toEqual([{}, {}]);
    expect(requestInterceptor({ url: '/auth/refresh-token', body })).toMatchObject({ body });
  });

  it.each([
    ['/docs', 'http://x/auth/login'],
    ['/docs/', 'http://x/auth/login'],
    ['/accounts/docs', 'http://x/accounts/auth/login'],
    ['/accounts/docs/', 'http://x/accounts/auth/login'],
  ])('asks the service that is beside its page at %s', (pathname, url) => {
    const { requestInterceptor } = inPage(pathname);
    expect(requestInterceptor({ url: 'http://x/auth/login' })).toEqual({ url });
  });

  it('takes nothing from a refusal or from another answer', () => {
    const { page, responseInterceptor } = inPage();
    responseInterceptor(answer('http://x/auth/login', null, false));
    responseInterceptor(answer('http://x/openapi.json', { token: 'a' }));
    expect(page.authorised).toEqual({});
  });
});
