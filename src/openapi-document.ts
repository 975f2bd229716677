import pino from 'pino';
import { createApp } from './app.js';
import { readConfig } from './config/config.js';
import { describeInterface } from './interface-document.js';
import { MovableClock } from './kernel/clock.js';
import { connectDatabase } from './platform/database/connection/connection.js';

/**
 * Returns the OpenAPI document that the server serves. It needs no database, because routes are declared
 * before anything connects.
 */
export async function buildOpenApi(): Promise<object> {
  const logger = pino({ level: 'silent' });
  const database = connectDatabase({
    connection: {},
    poolSize: 1,
    applicationName: 'guildhall-openapi',
    log: logger,
  });
  const app = createApp({
    config: readConfig({}),
    database,
    address: { connection: {} },
    logger,
    clock: new MovableClock(),
    adminKeys: ['unused'],
    cursorSecret: 'unused',
    secretsKeys: ['unused'],
  });
  const document = describeInterface(app.routes);
  await database.close();
  return document;
}
