import pino from 'pino';
import { type App, createApp } from './app.js';
import { type Config, ConfigError, describeVariables, readConfig } from './config.js';
import { type Demo, describeDemo, seedDemo, wantsDemo } from './demo.js';
import { MovableClock, systemClock } from './kernel/clock.js';
import { createLogger } from './logger.js';
import { choosePort, openDatabase, readAdminKey, readCursorSecret } from './startup.js';
import { version } from './version.js';

const STOP_PATIENCE_MS = 20_000;

async function main(): Promise<void> {
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    console.log(
      `Guildhall ${version}\n\nUsage: npm start\n\nConfiguration, all by environment variable:\n\n${describeVariables()}`,
    );
    return;
  }
  await run(await choosePort(readConfig()));
}

async function run(config: Config): Promise<void> {
  // Lines are gathered and written together: a request does not wait for the log.
  const destination = pino.destination({ sync: false, minLength: 4096, periodicFlush: 500 });
  const logger = createLogger(config.logLevel, { role: config.role }, destination);
  process.on('unhandledRejection', (error) =>
    logger.error({ err: error }, 'a promise was rejected and nobody listened'),
  );

  const opened = await openDatabase(config, logger);
  try {
    const { key: adminKey, isNew } = await readAdminKey(config);
    const clock = config.testClock ? new MovableClock() : systemClock;
    const cursorSecret = await readCursorSecret(opened.database);
    const app = createApp({ config, ...opened, logger, clock, adminKey, cursorSecret });
    const stop = stopOnSignal(async () => {
      await app.stop();
      await opened.close();
      destination.flushSync();
    });

    const demo = await startServing(app);
    console.log(`Guildhall is ready at ${config.baseUrl}`);
    if (isNew) console.log(`\nOperator key (kept in ${config.dataDir}, shown this once): ${adminKey}`);
    if (demo) console.log(describeDemo(demo, config));
    stop.ready();
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Brings the app up and lets callers in; what did come up is stopped again when the rest cannot. */
async function startServing(app: App): Promise<Demo | undefined> {
  const { role, port, host } = app.config;
  try {
    const server = await app.start({ workers: role !== 'web' });
    const demo = (await wantsDemo(app)) ? await seedDemo(app) : undefined;
    await server.listen({ port, host });
    return demo;
  } catch (error) {
    await app.stop();
    throw error;
  }
}

/** An orderly stop on the first signal, an immediate one on the second. A signal during start-up waits until the start is through. */
function stopOnSignal(stop: () => Promise<void>): { ready(): void } {
  let stopping = false;
  let started = false;
  const begin = async () => {
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
