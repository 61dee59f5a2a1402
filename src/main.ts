import 'reflect-metadata';
import cluster from 'node:cluster';
import nodeModule from 'node:module';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { withDeadline } from './common/clock/index.js';
import { exitOnSignals, ignoreOutputErrors, STOP_SIGNALS, stopWithShell } from './common/process/index.js';
import { type Config, ConfigError, environmentVariables, loadConfig } from './infrastructure/config/index.js';

const SHUTDOWN_MS = 10_000;
const CLOSE_MS = 5_000;

let isStopping = false;

/** Starts the service. Errors are printed as one line each, without a stack unless they are mistakes in code. */
async function start(): Promise<void> {
  const exitNoLonger = exitOnSignals();
  ignoreOutputErrors();
  let app: NestFastifyApplication | null = null;
  try {
    const environment = environmentVariables();
    stopWithShell(environment);
    const config = loadConfig(environment);
    // Must come before the imports below: modules compiled from here on are cached for the next start (Node 22.1 and later).
    (nodeModule as { enableCompileCache?: () => void }).enableCompileCache?.();
    const { createApp } = await import('./app.setup.js');
    const { onLostConnection } = await import('./infrastructure/cluster/index.js');
    app = await createApp({ config });
    exitNoLonger();
    stopOnSignals(app);
    onLostConnection(giveWay);
    await app.listen(config.http.port, config.http.host);
    const isOneOfMany = cluster.isWorker && cluster.worker?.id !== 1;
    if (!isOneOfMany) process.stdout.write(welcome(config, await app.getUrl()));
  } catch (error) {
    // What was being set up fails because the stop tears it down; the stop ends the process.
    if (isStopping) return;
    process.stderr.write(`${explain(error)}\n`);
    // Mails are sent before the port opens. Exiting at once would cut one off: it would wait until its claim expires, or be sent twice.
    if (app) await withDeadline(app.close(), CLOSE_MS).catch(() => undefined);
    process.exit(1);
  }
}

/** Stops on a signal: stops listening, finishes running requests, exits 0. After ten seconds it exits in any case. */
function stopOnSignals(app: NestFastifyApplication): void {
  app.enableShutdownHooks(STOP_SIGNALS, { useProcessExit: true });
  for (const signal of STOP_SIGNALS) {
    process.once(signal, () => {
      isStopping = true;
      setTimeout(() => process.exit(0), SHUTDOWN_MS).unref();
    });
  }
}

/** Ends a process of a cluster that gets no more connections, so that another takes its place. */
function giveWay(): void {
  if (isStopping) return;
  process.stderr.write('A connection did not arrive, as no file descriptor was left: this process ends\n');
  // By this the primary process knows that the connection was not taken, and closes it.
  process.once('exit', () => (process.exitCode = 1));
  process.kill(process.pid, 'SIGTERM');
}

function placeOfStore(environment: Config['environment'], directory: string): string {
  return environment === 'test'
    ? 'store that is gone with this process, by NODE_ENV=test'
    : `embedded store in ${directory}`;
}

function welcome(
  { environment, developmentApiKey, http, mongodb, redis, mail, dataDirectory }: Config,
  url: string,
): string {
  const lines = [`Account service (${environment}) on ${url}`, `  Swagger UI   ${url}/docs`];
  if (environment !== 'production' && !mail.smtp) lines.push(`  Mails        ${url}/dev/inbox`);
  if (developmentApiKey) lines.push(`  API key      ${developmentApiKey}`);
  const unsuited = [
    mongodb.uri ? null : `${placeOfStore(environment, dataDirectory)} (set MONGODB_URI)`,
    redis.url ? null : 'cache and limiter in this process (set REDIS_URL)',
    mail.smtp
      ? null
      : environment === 'production'
        ? 'mails wait (set SMTP_HOST)'
        : 'mails stay in the inbox (set SMTP_HOST)',
    // Of a store of its own, reached by this machine alone, that goes without saying.
    environment === 'production' || (isLoopback(http.host) && !mongodb.uri)
      ? null
      : 'test kit under /dev: whoever reaches this port can read all mails and erase everything (set NODE_ENV=production)',
    developmentApiKey ? 'development secrets and API key (set JWT_SECRET, JWT_REFRESH_SECRET, API_KEYS)' : null,
  ].filter((line) => line !== null);
  if (unsuited.length > 0) lines.push('  Not suited to production:', ...unsuited.map((line) => `    - ${line}`));
  return `${lines.join('\n')}\n`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** Errors of code, such as a module's that is new: their text says little without the place. */
const MISTAKES = [TypeError, ReferenceError, RangeError, SyntaxError];

interface SystemErrorDetails {
  port: number;
  address: string;
  hostname: string;
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (MISTAKES.some((kind) => error instanceof kind)) return `The service cannot start: ${(error as Error).stack}`;
  const { code, message, port, address, hostname } = error as NodeJS.ErrnoException & Partial<SystemErrorDetails>;
  if (code === 'EADDRINUSE') return `Port ${port} on ${address} is taken: stop the other process, or set PORT`;
  if (code === 'EACCES' && port) return `Port ${port} may not be opened by this user: set PORT to one above 1023`;
  if (code === 'EADDRNOTAVAIL' || (hostname && hostname === environmentVariables().HOST))
    return 'HOST is not an address of this machine';
  return `The service cannot start: ${message}`;
}

await start();
