import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../desk-end-to-end/real-desk.js';
import { findAgentProgram } from '../support/agent-programs.js';
import { type ModelStub, startModelStub } from '../support/model-stub.js';
import { ScratchRepository } from '../support/scratch-repository.js';
import { type BuildDesk, canIsolate, createBuildDesk } from './build-desk.js';
import { type FakeBuild, type FakeService, startFakeService } from './fake-service.js';

/** Runs the real Claude Code and Codex in an isolated build, against a stub of their model. */

const claude = findAgentProgram('claude');
const codex = findAgentProgram('codex');
if (!claude) console.warn('SKIPPED: Claude Code is not installed (.ci/run installs it)');
if (!codex) console.warn('SKIPPED: Codex is not installed (.ci/run installs it)');
if (!canIsolate)
  console.warn('SKIPPED: real coders are tried in a cell, which needs root, unshare and setpriv');

let service: FakeService;
let repository: ScratchRepository;
let desk: BuildDesk;
let stub: ModelStub;
let refusing: { url: string; close(): void };
let programs: string;

beforeAll(async () => {
  // The build's user cannot access the home folder in which the programs are installed.
  programs = mkdtempSync(join(tmpdir(), 'guildhall-programs-'));
  chmodSync(programs, 0o755);
  if (claude && canIsolate) cpSync(claude, join(programs, 'claude'));
  if (codex && canIsolate)
    cpSync(join(dirname(codex), '../..'), join(programs, 'node_modules/@openai'), { recursive: true });
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () =>
      response.writeHead(401, { 'content-type': 'application/json', 'x-should-retry': 'false' }).end(
        JSON.stringify({
          type: 'error',
          error: { type: 'authentication_error', message: 'invalid x-api-key' },
        }),
      ),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  refusing = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  };
});
afterAll(() => {
  refusing.close();
  rmSync(programs, { recursive: true, force: true });
});
beforeEach(async () => {
  service = await startFakeService();
  stub = await startModelStub('no_such_tool');
  repository = new ScratchRepository();
  repository.save({ 'roof.txt': 'a hole\n' });
});
afterEach(async () => {
  await desk?.remove();
  await service.stop();
  await stub.close();
  repository.dispose();
});

async function build(runtime: string, environment: string[]): Promise<FakeBuild> {
  const name = runtime === 'codex' ? 'codex' : 'claude';
  const file =
    runtime === 'codex' ? `${programs}/node_modules/@openai/codex/bin/codex.js` : `${programs}/claude`;
  desk = await createBuildDesk(service, { runtime, stubs: { [name]: `#!/bin/sh\nexec ${file} "$@"\n` } });
  chmodSync(desk.path('stubs'), 0o755);
  writeFileSync(desk.path('etc/guildhall/coder.env'), environment.join('\n'));
  desk.start();
  const one = service.queue(repository, {
    coder: name,
    settings: { version: 'v', model: null, effort: 'medium', limits: { max_turns: 3 } },
    wall_minutes: 2,
  });
  await until(() => one.finish ?? undefined, 240);
  return one;
}

describe.skipIf(!claude || !canIsolate)('Claude Code on a claude_code desk', () => {
  it('succeeds by its last event, with result, usage and conversation', async () => {
    const one = await build('claude_code', [`ANTHROPIC_BASE_URL=${stub.url}`, 'ANTHROPIC_API_KEY=stub']);
    expect(one.finish, one.parts.join('')).toMatchObject({
      outcome: 'succeeded',
      result: 'Done.',
      usage: { tokens_in: 1, tokens_out: 1, cost_usd: expect.any(Number) },
      conversation: [{ role: 'assistant', content: 'Done.' }],
    });
    expect(one.parts.join('')).toMatch(/^Claude Code [\d.]+, model [\s\S]*Done\.\n\[success, 1 turns\]\n$/);
  });

  it('fails on a 401, although Claude Code reports success', async () => {
    const one = await build('claude_code', [`ANTHROPIC_BASE_URL=${refusing.url}`, 'ANTHROPIC_API_KEY=bad']);
    expect(one.finish, one.parts.join('')).toMatchObject({
      outcome: 'failed',
      reason: expect.stringMatching(/401|API key|auth/i),
    });
  });
});

describe.skipIf(!codex || !canIsolate)('Codex on a codex desk', () => {
  it('succeeds by its last event, with result, usage and conversation', async () => {
    const one = await build('codex', [
      `OPENAI_BASE_URL=${stub.url}/v1`,
      'OPENAI_API_KEY=stub',
      'CODEX_API_KEY=stub',
    ]);
    expect(one.finish, one.parts.join('')).toMatchObject({
      outcome: 'succeeded',
      result: 'Done.',
      usage: { tokens_in: 1, tokens_out: 1 },
      conversation: [{ role: 'assistant', content: 'Done.' }],
    });
  });

  it('fails on a 401', async () => {
    const one = await build('codex', [`OPENAI_BASE_URL=${refusing.url}/v1`, 'CODEX_API_KEY=bad']);
    expect(one.finish, one.parts.join('')).toMatchObject({
      outcome: 'failed',
      reason: expect.stringMatching(/401/),
    });
  });
});
