import { setTimeout as pause } from 'node:timers/promises';
import pino from 'pino';
import { type App, createApp } from './app.js';
import { type Config, ConfigError, describeVariables, readConfig, version } from './config/config.js';
import { type Demo, describeDemo, seedDemo, wantsDemo } from './demo/demo.js';
import { MovableClock, systemClock } from './kernel/clock.js';
import { type Log, silentLog } from './kernel/log.js';
import { setTracer } from './kernel/tracing.js';
import { createLogger } from './platform/logging/logger.js';
import type { OtlpTracer } from './platform/tracing/otlp-tracer.js';
import { startWatchdog, type Watchdog } from './platform/watchdog/watchdog.js';
import { choosePort, openDatabase, readAdminKeys, readCursorSecret, readSecretsKeys } from './startup.js';

const STOP_PATIENCE_MS = 20_000;
/**
 * Log lines are written in batches of this many characters or milliseconds, so that requests do not wait for
 * the log.
 */
const GATHERED = { minLength: 12_288, periodicFlush: 500 };
/** Length of the listen queue. The system may allow less. */
const BACKLOG = 2048;

async function main(): Promise<void> {
  const [command, ...rest] = process.argv.slice(2);
  if (command === 'backup' || command === 'restore') {
    const { runBackupCommand } = await import('./backup-command.js');
    const { moveRepositories } = await import('./features/projects/restored-repositories.js');
    process.exitCode = await runBackupCommand(command, rest, version, moveRepositories);
    return;
  }
  // Internal command, run by scripts/prepare.mjs after `npm ci`.
  if (command === 'make-ready') {
    const { makeReadyCluster } = await import('./platform/database/embedded/ready-cluster.js');
    return makeReadyCluster(silentLog);
  }
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    console.log(
      `Guildhall ${version}\n\nUsage: npm start, or guildhall serve\n       guildhall backup <file>, guildhall restore <file>\n\nConfiguration, all by environment variable:\n\n${describeVariables()}`,
    );
    return;
  }
  await run(await choosePort(readConfig()));
}

async function run(config: Config): Promise<void> {
  const { logLevel: level, role } = config;
  const format = config.logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json');
  // A terminal shows each line at once.
  const destination =
    format === 'pretty' ? pino.destination({ sync: true }) : pino.destination({ sync: false, ...GATHERED });
  const logger = createLogger({ level, format, base: { role } }, destination);
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'Unhandled promise rejection'));

  const tracer = config.tracing && (await startTracing(config.tracing, logger));
  const opened = await openDatabase(config, logger);
  try {
    const { keys: adminKeys, isNew } = await readAdminKeys(config);
    const clock = config.testClock ? new MovableClock() : systemClock;
    const cursorSecret = await readCursorSecret(opened.database);
    const secretsKeys = await readSecretsKeys(config, opened.database, logger);
    const app = createApp({
      config,
      ...opened,
      logger,
      clock,
      adminKeys,
      cursorSecret,
      secretsKeys,
      traces: tracer?.counts,
    });
    let watchdog: Watchdog | undefined;
    const stop = stopOnSignal(config.drainSeconds, app.drain, async () => {
      await app.stop();
      await opened.close();
      await watchdog?.stop();
      await tracer?.stop();
      destination.flushSync();
    });

    const demo = await startServing(app, logger);
    console.log(`Guildhall is ready at ${config.baseUrl}`);
    if (isNew) console.log(`\nOperator key (kept in ${config.dataDir}, shown this once): ${adminKeys[0]}`);
    if (demo) console.log(describeDemo(demo, config));
    watchdog = startWatchdog({ seconds: config.watchdogSeconds, format });
    stop.ready();
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Loaded on demand, because most installations do not trace. */
async function startTracing(tracing: NonNullable<Config['tracing']>, log: Log): Promise<OtlpTracer> {
  const { createOtlpTracer } = await import('./platform/tracing/otlp-tracer.js');
  const tracer = createOtlpTracer({ ...tracing, version, log });
  setTracer(tracer);
  return tracer;
}

/** Starts the app and then listens. Stops the app when the start fails. */
async function startServing(app: App, log: Log): Promise<Demo | undefined> {
  const { role, port, host } = app.config;
  try {
    const server = await app.start({ workers: role !== 'web' });
    const demo = (await wantsDemo(app, log)) ? await seedDemo(app) : undefined;
    await server.listen({ port, host, backlog: BACKLOG });
    return demo;
  } catch (error) {
    await app.stop();
    throw error;
  }
}

/**
 * The first signal drains and stops in order, and the second one exits at once. A signal during the start
 * takes effect afterwards.
 */
function stopOnSignal(drainSeconds: number, drain: () => void, stop: () => Promise<void>): { ready(): void } {
  let stopping = false;
  let started = false;
  const begin = async () => {
    drain();
    await pause(drainSeconds * 1000);
    setTimeout(() => process.exit(1), STOP_PATIENCE_MS).unref();
    await stop().catch((error) => console.error(`The stop was not orderly: ${error?.message}`));
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      if (started) void begin();
    });
  }
  return {
    ready() {
      started = true;
      if (stopping) void begin();
    },
  };
}

main().catch((error) => {
  const tellsItself = error instanceof ConfigError || /already running/.test(error?.message);
  const reason = error?.message || error?.code || 'for an unknown reason';
  console.error(tellsItself ? reason : `Guildhall cannot start: ${reason}`);
  process.exit(1);
});
