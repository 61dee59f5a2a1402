import type { SwaggerCustomOptions } from '@nestjs/swagger';
import type { FastifyInstance, onSendHookHandler } from 'fastify';

interface Request {
  url: string;
  body?: string;
}

interface Response {
  ok: boolean;
  url: string;
  text: string;
}

/** The few things of the browser that are used below: the service is compiled without the DOM's types. */
interface Page {
  location: { origin: string; pathname: string };
  sessionStorage: { refreshToken?: string };
  ui: {
    preauthorizeApiKey(scheme: string, value: string): void;
    authActions: { logoutWithPersistOption(schemes: string[]): void; persistAuthorizationIfNeeded(): void };
  };
}

/**
 * Both functions run in the browser, where they arrive as source text: they may use nothing from outside themselves.
 * The tokens of a login or a refresh become those of all further requests, and an ended session's are forgotten.
 */
function takeTokens(response: Response): Response {
  const page = globalThis as unknown as Page;
  if (!response.ok) return response;
  if (/\/auth\/(?:login|refresh-token)$/.test(response.url)) {
    const { token, refresh_token } = JSON.parse(response.text).data as { token: string; refresh_token: string };
    page.sessionStorage.refreshToken = refresh_token;
    page.ui.preauthorizeApiKey('bearer', token);
    page.ui.authActions.persistAuthorizationIfNeeded();
  }
  if (/\/auth\/(?:logout|its-not-me)$/.test(response.url)) {
    delete page.sessionStorage.refreshToken;
    page.ui.authActions.logoutWithPersistOption(['bearer']);
  }
  return response;
}

/**
 * Replaces the example refresh token in a body by the session's own. Behind a proxy with a path prefix, operations are called under
 * the same prefix.
 */
function completeRequest(request: Request): Request {
  const { location, sessionStorage } = globalThis as unknown as Page;
  const { refreshToken } = sessionStorage;
  const mount = location.pathname.replace(/\/docs(?:\/[^/]*)?$/, '');
  request.url = request.url.replace(location.origin, () => location.origin + mount);
  if (refreshToken && request.body) {
    request.body = request.body.replace(/eyJhbGciOiJIUzI1NiIsInR5cCI6InJ0K2p3dCJ9\.e30\.c2lnbmF0dXJl/, refreshToken);
  }
  return request;
}

/** Hides the tool's top bar and the empty column of links, and keeps everything within the width of a phone. */
const STYLE = `
.swagger-ui .topbar, .swagger-ui .response-col_links, .swagger-ui .responses-header .col_header.response-col_links { display: none }
.swagger-ui .info { margin: 24px 0 } .swagger-ui .info hgroup.main { margin: 0 0 12px }
.swagger-ui .scheme-container { padding: 12px 0; position: sticky; top: 0; z-index: 2 }
.swagger-ui .renderedMarkdown table td:first-child { width: 45% } .swagger-ui .renderedMarkdown code { overflow-wrap: anywhere }
@media (max-width: 640px) {
  .swagger-ui .info .title { font-size: 26px } .swagger-ui .info h2 { font-size: 20px }
  .swagger-ui .opblock .opblock-summary-description { padding: 0 } .swagger-ui .opblock-body pre { white-space: pre-wrap }
  .swagger-ui table.responses-table, .swagger-ui table.headers { table-layout: fixed; width: 100% }
  .swagger-ui .response-col_status { width: 48px } .swagger-ui .responses-inner { padding: 12px }
  .swagger-ui select { max-width: 100% }
}`;

/** Swagger UI as it is served at `/docs`: one that can be logged in with. */
export const SWAGGER_UI: SwaggerCustomOptions = {
  raw: false,
  customSiteTitle: 'Account service',
  customCss: STYLE,
  swaggerOptions: {
    persistAuthorization: true,
    displayRequestDuration: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    requestInterceptor: completeRequest,
    responseInterceptor: takeTokens,
  },
};

/** Missing in Nest's page: without it a phone lays the page out for a desktop and shows it at a third of its size. */
const VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">';

/** What the page consists of. The package has more: source maps, and files that tell its version (ASVS 13.4.6). */
const FILES = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'favicon-16x16.png',
  'favicon-32x32.png',
];

/** Adds what Nest's page lacks, and serves nothing that it does not need; to be called before the UI is set up. */
export function prepareSwaggerUi(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    // At /docs/index.html the page's relative script paths would be wrong. The redirect is relative, for proxies with a path prefix.
    if (route.url === '/docs/index.html') route.handler = (_request, reply) => reply.redirect('./');
    if (route.url === '/docs/*') {
      route.onRequest = ({ params }, reply, done) => {
        if (FILES.includes((params as { '*': string })['*'])) done();
        else reply.callNotFound();
      };
    }
    if (!/^\/docs\/?$/.test(route.url)) return;
    const fit: onSendHookHandler = (_request, _reply, page, done) =>
      done(null, String(page).replace('<head>', `<head>\n  ${VIEWPORT}`));
    // Before the other hooks: the one for HEAD computes the length of the page.
    route.onSend = [fit, ...[route.onSend ?? []].flat()];
  });
}
