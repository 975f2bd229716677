import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../tests/support/app.js';
import { systemClock } from '../../kernel/clock.js';
import { createDemoHost, type DemoHost } from './demo-host.js';

const folder = mkdtempSync(join(tmpdir(), 'guildhall-demo-host-'));
const repository = join(folder, 'lighthouse');
const warnings: unknown[] = [];
const made: DemoHost[] = [];

function open(name: string): DemoHost {
  const log = { warn: (...words: unknown[]) => void warnings.push(words) };
  const host = createDemoHost({
    folder: join(folder, name),
    baseUrl: 'http://127.0.0.1:1',
    clock: systemClock,
    log,
  });
  made.push(host);
  return host;
}

beforeAll(() => {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@acme.example'];
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', repository]);
  execFileSync('git', ['-C', repository, ...identity, 'commit', '--quiet', '--allow-empty', '-m', 'Begin']);
});
afterEach(async () => {
  for (const host of made.splice(0)) await host.stop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ask = (apiUrl: string, token: string) =>
  fetch(`${apiUrl}/repos/simulated-host/lighthouse`, { headers: { authorization: `Bearer ${token}` } });

describe('Simulated repository host', () => {
  it('runs after it was created, restarts on the same port and keeps its secrets private', async () => {
    const host = open('kept');
    await host.start();
    expect(host.origins()).toEqual([]);
    const { apiUrl, token, webUrl } = await host.make('project', join(repository, '.git'));
    expect(host.origins()).toEqual([new URL(apiUrl).origin]);
    expect(new URL(apiUrl).hostname).toBe('127.0.0.1');
    expect((await ask(apiUrl, token)).status).toBe(200);
    expect((await ask(apiUrl, 'another')).status).toBe(401);
    expect(await (await fetch(webUrl)).text()).toContain('Simulated host');
    await host.setWebhookSecret('hook-secret');
    await host.stop();
    expect(host.origins()).toEqual([]);
    await expect(fetch(webUrl)).rejects.toThrow();
    const file = join(folder, 'kept/demo-host.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ hookSecret: 'hook-secret', token });

    const again = open('kept');
    await again.start();
    expect((await ask(apiUrl, token)).status).toBe(200);
    expect(warnings).toEqual([]);
  });

  it('stays off and logs a warning when its port is taken', async () => {
    const host = open('taken');
    const { webUrl } = await host.make('project', join(repository, '.git'));
    await host.stop();
    const other: Server = createServer((_, response) => response.end('another'));
    await new Promise<void>((resolve) =>
      other.listen(Number(new URL(webUrl).port), '127.0.0.1', () => resolve()),
    );
    const again = open('taken');
    await again.start();
    expect(again.origins()).toEqual([]);
    expect(warnings.splice(0)).toHaveLength(1);
    await new Promise((resolve) => other.close(resolve));
  });

  describe('Simulated host in other environments', () => {
    let world: World | undefined;
    afterEach(async () => {
      await world?.stop();
    });

    it.each([
      ['ENVIRONMENT', 'production'],
      ['DATABASE_URL', 'postgres://db/guildhall'],
    ])('does not exist with %s=%s', async (name, value) => {
      world = await startTestApp({ env: { [name]: value } });
      expect(world.app.demoHost).toBeUndefined();
    });
  });
});
