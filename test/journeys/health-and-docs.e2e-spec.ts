import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usesRedis } from '../support/backends.js';
import { exchange, parseAnswer } from '../support/raw-http.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describe('Health and documents', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  it('tells that the process runs', async () => {
    const { status, body } = await test.client().get('/health/live');
    expect(status).toBe(200);
    expect(body).toEqual({ error: false, message: 'Alive', data: { status: 'up' } });
  });

  it('tells that requests can be served, and by what', async () => {
    const { status, body } = await test.client().get('/health/ready');
    expect(status).toBe(200);
    expect(body).toEqual({
      error: false,
      message: 'Ready',
      data: {
        status: 'ready',
        dependencies: { database: 'up', redis: usesRedis ? 'up' : 'not_configured' },
        warnings: [],
      },
    });
  });

  it('serves the OpenAPI document', async () => {
    const { status, body } = await test.client().get('/openapi.json');
    expect(status).toBe(200);
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining(['/auth/register', '/auth/login', '/auth/its-not-me', '/api/profile', '/health/ready']),
    );
    expect(Object.keys(body.paths)).not.toContain('/dev/inbox');
  });

  it('serves the Swagger UI, and lets it load its own scripts and no others', async () => {
    const page = await test.client().get('/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    // The page keeps tokens: a script that is smuggled into its text must not run.
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(page.headers.get('content-security-policy')).toMatch(/form-action 'self'; frame-ancestors 'none'$/);
    expect(page.text).not.toMatch(/<script(?![^>]*\ssrc=)|\son[a-z]+=/i);
    const script = /src="([^"]+swagger-ui-bundle\.js)"/.exec(page.text)?.[1] as string;
    const loaded = await test.client().get(new URL(script, `${test.url}/docs`).pathname);
    expect(loaded.status).toBe(200);
  });

  it.each(['http://x/docs', 'HTTP://x/docs?a=b', 'http://x/dev/inbox'])(
    'lets a page load its own scripts where a proxy asks for a whole address: %s',
    async (target) => {
      const request = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
      const { status, headers } = parseAnswer(await exchange(test.url, request));
      expect(status).toBe(200);
      expect(headers.get('content-security-policy')).toContain("script-src 'self';");
    },
  );

  it('serves what the Swagger UI consists of, and nothing else of its package', async () => {
    const page = (await test.client().get('/docs')).text;
    const files = [...page.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, file]) =>
      (file as string).replace('docs/', ''),
    );
    expect(files.length).toBeGreaterThan(4);
    const statusOf = async (file: string) => (await fetch(`${test.url}/docs/${file}`)).status;
    for (const file of files) expect(await statusOf(file), file).toBe(200);
    const others = ['package.json', '%70ackage.json', 'README.md', 'swagger-ui.css.map', 'swagger-ui-bundle.js.map'];
    for (const file of others) expect(await statusOf(file), file).toBe(404);
  });

  it.each(['/docs', '/docs/'])('serves a Swagger UI at %s that a phone shows in its own width', async (path) => {
    const { text } = await test.client().get(path);
    expect(text).toMatch(/<head>\s*<meta name="viewport" content="width=device-width, initial-scale=1">/);
    const head = await test.client().open(path, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  });

  it('leads from the name of an index file to the Swagger UI', async () => {
    const { url, redirected, status } = await fetch(`${test.url}/docs/index.html`);
    expect([status, redirected, url]).toEqual([200, true, `${test.url}/docs/`]);
  });

  it('shows the development inbox as a page and as JSON', async () => {
    const { registration } = await test.personas.visitor();
    const { otp } = await test.inbox.waitFor(registration.email, 'email-verification');
    const page = await test.client().get('/dev/inbox');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.text).toContain(registration.email);
    expect(page.text).toContain(otp);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(page.headers.get('content-security-policy')).toMatch(/form-action 'self'; frame-ancestors 'none'$/);
    const filtered = await test.client().get('/dev/inbox?address=nobody@example.com');
    expect(filtered.text).not.toContain(otp);
    const json = await test.client().get(`/dev/inbox?to=${registration.email.toUpperCase()}`);
    expect(json.body).toMatchObject({
      error: false,
      data: [{ to: registration.email, otp, kind: 'email-verification' }],
    });
  });
});
