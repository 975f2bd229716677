import { mkdtemp, rm } from 'node:fs/promises';
import { request as ask, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAgentProgram, runWithin } from '../support/agent-programs.js';
import { startTestApp, type World } from '../support/app.js';

/**
 * Scenarios of MCP's conformance suite that apply here. The others call a reference server's tools
 * (`test_*`), need features of a stateful server (logging, completion, sampling, elicitation, subscriptions,
 * resumable streams), or check host names on a server without credentials (`dns-rebinding-protection`), where
 * ours requires a bearer token.
 */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'resources-list'];

const LIMIT_MS = 30_000;
const suite = findAgentProgram('conformance');
const node = findAgentProgram('newerNode');
const missing = !suite || !node;
if (missing) console.warn('SKIPPED: the conformance suite is not installed (.ci/run installs it)');

describe.skipIf(missing)('MCP conformance suite', () => {
  let world: World;
  let proxy: Server;
  let home: string;

  beforeAll(async () => {
    world = await startTestApp();
    const { token } = await world.workspace();
    await world.server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = world.server.server.address() as AddressInfo;
    proxy = await startProxy(port, token);
    home = await mkdtemp(join(tmpdir(), 'guildhall-conformance-'));
  });

  afterAll(async () => {
    proxy?.closeAllConnections();
    proxy?.close();
    await world?.stop();
    if (home) await rm(home, { recursive: true, force: true });
  });

  it.each(SCENARIOS)(
    '%s',
    async (scenario) => {
      const { port } = proxy.address() as AddressInfo;
      const url = `http://localhost:${port}/mcp`;
      const run = await runWithin(LIMIT_MS, [node!, suite!, 'server', '--url', url, '--scenario', scenario], {
        cwd: home,
        env: { HOME: home, NO_COLOR: '1' },
      });
      expect(run, run.output).toMatchObject({ code: 0, timedOut: false });
    },
    LIMIT_MS + 5_000,
  );
});

/** Adds the credential to each request, which the suite itself cannot send. */
async function startProxy(port: number, token: string): Promise<Server> {
  const server = createServer((request, response) => {
    const onward = ask(
      {
        host: '127.0.0.1',
        port,
        method: request.method,
        path: request.url,
        headers: { ...request.headers, authorization: `Bearer ${token}` },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return server;
}
