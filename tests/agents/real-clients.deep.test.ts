import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAgentProgram, runWithin } from '../support/agent-programs.js';
import { startTestApp, type World } from '../support/app.js';
import { type ModelStub, startModelStub } from '../support/model-stub.js';

/** Runs the real Claude Code and Codex against a stub of their model that calls one of our tools. */

const LIMIT_MS = 40_000;
const BOARD = 'Lighthouse repairs';
const claude = findAgentProgram('claude');
const codex = findAgentProgram('codex');
if (!claude) console.warn('SKIPPED: Claude Code is not installed (.ci/run installs it)');
if (!codex) console.warn('SKIPPED: Codex is not installed (.ci/run installs it)');

describe.skipIf(!claude && !codex)('Real coding agents calling a Guildhall tool', () => {
  let world: World;
  let stub: ModelStub;
  let home: string;
  let address: string;
  let token: string;

  beforeAll(async () => {
    world = await startTestApp();
    const { bearer, ...workspace } = await world.workspace();
    token = workspace.token;
    await world.inject({
      method: 'POST',
      url: '/api/v1/board/boards',
      headers: bearer,
      payload: { name: BOARD },
    });
    address = await world.server.listen({ host: '127.0.0.1', port: 0 });
  });

  afterAll(() => world?.stop());

  /** Uses a separate home folder and stub, and leaves the machine's own agent settings alone. */
  async function within(work: () => Promise<void>): Promise<void> {
    home = await mkdtemp(join(tmpdir(), 'guildhall-agent-'));
    stub = await startModelStub('list_boards');
    try {
      await work();
    } finally {
      await stub.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  it.skipIf(!claude)(
    'Claude Code connects over HTTP with a token from its configuration',
    () =>
      within(async () => {
        const config = join(home, 'mcp.json');
        const server = {
          type: 'http',
          url: `${address}/mcp`,
          headers: { Authorization: `Bearer \${GUILDHALL_TOKEN}` },
        };
        await writeFile(config, JSON.stringify({ mcpServers: { guildhall: server } }));
        const run = await runWithin(
          LIMIT_MS,
          [
            claude!,
            '-p',
            'Which boards are there?',
            '--mcp-config',
            config,
            '--strict-mcp-config',
            '--allowedTools',
            'mcp__guildhall__list_boards',
            '--max-turns',
            '3',
          ],
          {
            cwd: home,
            env: {
              HOME: home,
              CLAUDE_CONFIG_DIR: join(home, '.claude'),
              ANTHROPIC_BASE_URL: stub.url,
              ANTHROPIC_API_KEY: 'stub',
              GUILDHALL_TOKEN: token,
              CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
              DISABLE_TELEMETRY: '1',
              DISABLE_AUTOUPDATER: '1',
              DISABLE_ERROR_REPORTING: '1',
              ENABLE_TOOL_SEARCH: 'false',
            },
          },
        );
        expect(run, run.output).toMatchObject({ code: 0, timedOut: false });
        expect([...stub.offered]).toContain('mcp__guildhall__list_boards');
        expect(stub.answers.join('\n'), run.output).toContain(BOARD);
      }),
    LIMIT_MS + 10_000,
  );

  it.skipIf(!codex)(
    'Codex connects over HTTP with a token from its environment',
    () =>
      within(async () => {
        const run = await runWithin(
          LIMIT_MS,
          [
            process.execPath,
            codex!,
            'exec',
            '--json',
            '--skip-git-repo-check',
            // An unknown model name makes Codex use its basic set of tools.
            '--model',
            'stub',
            '--sandbox',
            'read-only',
            '-c',
            `openai_base_url="${stub.url}/v1"`,
            '-c',
            `mcp_servers.guildhall.url="${address}/mcp"`,
            '-c',
            'mcp_servers.guildhall.bearer_token_env_var="GUILDHALL_TOKEN"',
            'Which boards are there?',
          ],
          {
            cwd: home,
            env: {
              HOME: home,
              CODEX_HOME: home,
              CODEX_API_KEY: 'stub',
              OPENAI_API_KEY: 'stub',
              GUILDHALL_TOKEN: token,
            },
          },
        );
        expect(run, run.output).toMatchObject({ code: 0, timedOut: false });
        expect(stub.answers.join('\n'), run.output).toContain(BOARD);
      }),
    LIMIT_MS + 10_000,
  );
});
