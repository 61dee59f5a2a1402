/**
 * Makes the package of the typed client, from openapi.json and the sources beside this file.
 * Usage: node src/client/build.mjs [folder] [document]; `client` and `openapi.json` unless said otherwise.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { build } from 'rolldown';

const SOURCES = import.meta.dirname;
const ROOT = resolve(SOURCES, '../..');
const [target, source] = [process.argv[2] ?? 'client', process.argv[3] ?? join(ROOT, 'openapi.json')].map((path) =>
  resolve(path),
);

const document = JSON.parse(readFileSync(source, 'utf8'));
// A download, a stream and an upload are no data: the platform's own `fetch` does them.
const isOfData = ({ requestBody, responses }) =>
  [requestBody, ...Object.values(responses)].every(({ content = {} } = {}) => {
    const types = Object.keys(content);
    return types.length === 0 || types.includes('application/json');
  });
const requiredHeaderOf = ({ parameters = [] }) => parameters.find((each) => each.in === 'header' && each.required);
for (const item of Object.values(document.paths)) {
  for (const [method, operation] of Object.entries(item)) {
    const header = requiredHeaderOf(operation);
    if (header) console.warn(`The typed client has no ${operation.operationId}: it sends no header ${header.name}`);
    if (header || !isOfData(operation)) delete item[method];
  }
}

const namesIn = (place, { parameters = [] }) => parameters.filter((each) => each.in === place).map(({ name }) => name);
const fieldsOf = ({ $ref, allOf = [], properties = {} }) =>
  $ref
    ? fieldsOf(document.components.schemas[$ref.split('/').at(-1)])
    : [...allOf.flatMap(fieldsOf), ...Object.keys(properties)];
const bodyFieldsOf = ({ requestBody }) => (requestBody ? fieldsOf(requestBody.content['application/json'].schema) : []);

const OWN_METHODS = ['accessToken', 'isLoggedIn'];

/** A method takes all of its fields in one object. */
function refuseUncallable(takesBody, operation) {
  const names = [
    ...namesIn('path', operation),
    ...namesIn('query', operation),
    // Parts of a body may repeat a field of it.
    ...new Set(bodyFieldsOf(operation)),
  ];
  const shared = names.find((name, i) => names.indexOf(name) < i);
  const refuse = (reason) => {
    throw new Error(`The typed client cannot call ${operation.operationId}: ${reason}`);
  };
  if (shared) refuse(`its path, query and body may not share the field ${shared}`);
  if (operation.requestBody && !takesBody) refuse('only POST, PUT and PATCH have a body');
  if (OWN_METHODS.includes(operation.operationId)) refuse('the client has a method of that name');
}

/** As `createClient` reads it. */
function routeOf(method, path, operation) {
  const takesBody = method.startsWith('p');
  refuseUncallable(takesBody, operation);
  const query = takesBody ? namesIn('query', operation) : [];
  const isBearer = operation.security.some((requirement) => 'bearer' in requirement);
  const named = method === 'post' ? '' : `${method.toUpperCase()} `;
  return `${named}${path}${query.length > 0 ? `{?${query}}` : ''}${isBearer ? '' : '!'}`;
}

const routes = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => [operation.operationId, routeOf(method, path, operation)]),
);

const INDEX = `import { type AccountClient as Client, type ClientOptions, createClient } from './account-client.js';
import { AccountError as AnyAccountError } from './account-error.js';
import type { components, operations } from './schema.js';

export { type Session, type SessionStore, memoryStore, webStore } from './session-store.js';
export type { ClientOptions };
export type { components, operations };

/** Every code that an AccountError of the service can bear. */
export type ErrorCode = components['schemas']['ErrorCode'];
/** A refusal of the service, or \`unknown\` where something else answered. Branch on \`code\`; \`message\` is for people. */
export type AccountError = AnyAccountError<ErrorCode | 'unknown'>;
export const AccountError = AnyAccountError as new (
  ...input: ConstructorParameters<typeof AnyAccountError>
) => AccountError;
export type AccountClient = Client<operations>;

export const createAccountClient = (options?: ClientOptions): AccountClient =>
  createClient<operations>(${JSON.stringify(Object.fromEntries(routes))}, options);
`;

const PACKAGE = {
  name: 'account-client',
  version: document.info.version,
  license: document.info.license.name,
  type: 'module',
  exports: './index.js',
  types: './index.d.ts',
  sideEffects: false,
};

/** The folder is emptied: only one that was made here is. */
function refuseForeign(folder) {
  const file = join(folder, 'package.json');
  const isOwn = existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).name === PACKAGE.name;
  if (isOwn || !existsSync(folder) || readdirSync(folder).length === 0) return;
  throw new Error(`${folder} has files that are no typed client: name a folder that is new, empty, or has a client`);
}

/** Types alone: the code is one file, made small. */
const OPTIONS = {
  target: 'es2022',
  lib: ['es2022', 'dom'],
  types: [],
  module: 'nodenext',
  strict: true,
  declaration: true,
  emitDeclarationOnly: true,
};

refuseForeign(target);
const buildDirectory = mkdtempSync(join(tmpdir(), 'account-client-'));
try {
  for (const file of readdirSync(SOURCES).filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))) {
    cpSync(join(SOURCES, file), join(buildDirectory, file));
  }
  writeFileSync(join(buildDirectory, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(buildDirectory, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: OPTIONS, files: ['index.ts'] }),
  );
  writeFileSync(join(buildDirectory, 'schema.ts'), astToString(await openapiTypescript(document)));
  writeFileSync(join(buildDirectory, 'index.ts'), INDEX);
  rmSync(target, { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '--outDir', target], { cwd: buildDirectory, stdio: 'inherit' });
  await build({
    input: join(buildDirectory, 'index.ts'),
    output: { file: join(target, 'index.js'), minify: true },
    // Each field has its value from the constructor: to declare it besides takes room and does nothing.
    transform: { typescript: { removeClassFieldsWithoutInitializer: true } },
  });
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(PACKAGE, null, 2)}\n`);
} finally {
  rmSync(buildDirectory, { recursive: true, force: true });
}
