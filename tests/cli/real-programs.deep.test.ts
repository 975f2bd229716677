import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAgentProgram, runWithin } from '../support/agent-programs.js';
import { type ModelStub, startModelStub } from '../support/model-stub.js';
import { ScratchRepository } from '../support/scratch-repository.js';
import { type CliWorld, PROGRAM, startCliWorld } from './cli-world.js';

/** Runs the real Claude Code and Codex in a connected repository, against a stub of their model. */

const LIMIT_MS = 40_000;
const claude = findAgentProgram('claude');
const codex = findAgentProgram('codex');
if (!claude) console.warn('SKIPPED: Claude Code is not installed (.ci/run installs it)');
if (!codex) console.warn('SKIPPED: Codex is not installed (.ci/run installs it)');

describe.skipIf(!claude && !codex)('Connected repository', () => {
  let cli: CliWorld;
  let stub: ModelStub;
  let env: Record<string, string>;
  let folder: string;

  beforeAll(async () => {
    cli = await startCliWorld();
    stub = await startModelStub('no_such_tool');
    folder = new ScratchRepository().folder;
    const bin = join(cli.home, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'guildhall'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, {
      mode: 0o755,
    });
    env = { ...cli.somebody, PATH: `${bin}:${process.env['PATH']}` };
    for (const program of ['claude', 'codex']) await cli.guildhall(['connect', program], { cwd: folder });
  });

  afterAll(async () => {
    await stub?.close();
    await cli?.stop();
  });

  const learned = async () =>
    (
      await cli.call<{ conversations: { agent_id: string }[] }>('GET', '/api/v1/memory/conversations')
    ).conversations.map(({ agent_id }) => agent_id);

  it.skipIf(!claude)(
    "pushes Claude Code's conversations at the end of a session",
    async () => {
      const run = await runWithin(LIMIT_MS, [claude!, '-p', 'We deploy on Tuesdays.', '--max-turns', '2'], {
        cwd: folder,
        env: {
          ...env,
          CLAUDE_CONFIG_DIR: join(cli.home, '.claude'),
          ANTHROPIC_BASE_URL: stub.url,
          ANTHROPIC_API_KEY: 'stub',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_TELEMETRY: '1',
          DISABLE_AUTOUPDATER: '1',
          DISABLE_ERROR_REPORTING: '1',
        },
      });
      expect(run, run.output).toMatchObject({ code: 0, timedOut: false });
      // On a busy machine the push continues after the program exits.
      await expect.poll(learned, { message: run.output }).toContain(`claude-${basename(folder)}`);
    },
    LIMIT_MS + 130_000,
  );

  it.skipIf(!codex)(
    "pushes Codex's conversations after each turn, once its hooks are trusted",
    async () => {
      const home = join(cli.home, '.codex');
      mkdirSync(home);
      writeFileSync(join(home, 'config.toml'), `[projects."${folder}"]\ntrust_level = "trusted"\n`);
      const words = ['exec', '--dangerously-bypass-hook-trust', '--model', 'stub', '--sandbox', 'read-only'];
      const run = await runWithin(
        LIMIT_MS,
        [
          process.execPath,
          codex!,
          ...words,
          '-c',
          `openai_base_url="${stub.url}/v1"`,
          'We deploy on Tuesdays.',
        ],
        { cwd: folder, env: { ...env, CODEX_HOME: home, CODEX_API_KEY: 'stub', OPENAI_API_KEY: 'stub' } },
      );
      expect(run, run.output).toMatchObject({ code: 0, timedOut: false });
      // On a busy machine the push continues after the program exits.
      await expect.poll(learned, { message: run.output }).toContain(`codex-${basename(folder)}`);
    },
    LIMIT_MS + 130_000,
  );
});
