import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../kernel/log.js';
import { findQuickFolder, startScratchPostgres } from './embedded-scratch.js';

describe('Scratch server', () => {
  it('is removed with its folder when it is stopped', async () => {
    const { connection, stop } = await startScratchPostgres(silentLog, await findQuickFolder());
    const client = new pg.Client(connection);
    client.on('error', () => {});
    await client.connect();
    expect((await client.query('show fsync')).rows).toEqual([{ fsync: 'off' }]);
    await client.end();
    await stop();
    expect(existsSync(dirname(dirname(connection.host)))).toBe(false);
  });

  it('is removed with its folder when its parent process is killed', async () => {
    const program = `
      const { startScratchPostgres } = await import(${JSON.stringify(new URL('./embedded-scratch.ts', import.meta.url).href)});
      const server = await startScratchPostgres({ debug() {}, info() {}, warn() {}, error() {} });
      console.log(server.connection.host);
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output] = (await once(child.stdout, 'data')) as [Buffer];
    const folder = dirname(dirname(output.toString().trim()));
    expect(existsSync(folder)).toBe(true);
    child.kill('SIGKILL');
    await expect.poll(() => existsSync(folder), { timeout: 120_000 }).toBe(false);
  });
});
