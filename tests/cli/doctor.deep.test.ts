import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../support/app.js';
import { ScratchRepository } from '../support/scratch-repository.js';
import { type CliWorld, PROGRAM, runCommand, startCliWorld } from './cli-world.js';

let world: World;
let cli: CliWorld;
/** The environment of a person who signed in and exports no token. */
let env: Record<string, string>;

beforeAll(async () => {
  world = await startTestApp();
  cli = await startCliWorld(world);
  const bin = join(cli.home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'guildhall'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, {
    mode: 0o755,
  });
  // Hooks give up after 1.4 seconds by default, which is too short on a busy machine.
  env = { ...cli.nobody, PATH: `${bin}:${process.env['PATH']}`, GUILDHALL_HOOK_SECONDS: '60' };
  await run(['login', '--url', cli.url, '--token', '-'], '/', cli.workspace.token);
});
afterAll(() => cli?.stop());

async function run(args: string[], cwd: string, stdin = '', more: Record<string, string> = {}) {
  return runCommand(args, { cwd, env: { ...env, ...more }, stdin });
}

interface Examined {
  ok: boolean;
  checks: { check: string; state: string; detail: string }[];
}
const doctor = async (cwd: string, more: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await run(['doctor', '--json'], cwd, '', more);
  expect(stderr).toBe('');
  const examined = JSON.parse(stdout) as Examined;
  return { code, ...examined, wrong: examined.checks.filter(({ state }) => state === 'wrong') };
};

const startSession = async (cwd: string, program = 'claude', more: Record<string, string> = {}) => {
  const { stdout } = await run(['hook', 'session-start', '--program', program], cwd, '{}', more);
  return stdout === '' ? '' : JSON.parse(stdout).hookSpecificOutput.additionalContext;
};
const agentTold = async (cwd: string, program = 'claude') =>
  /agent_id `([^`]+)`/.exec(await startSession(cwd, program))?.[1];

describe('Agent id in a repository', () => {
  it('the agent id is the same in every worktree and clone, also without a remote', async () => {
    const repository = new ScratchRepository();
    repository.write({ 'a.txt': 'a' });
    repository.git('add', '.');
    repository.git('commit', '--quiet', '-m', 'a');
    const agent = await agentTold(repository.folder);
    expect(agent).toMatch(/^claude-/);
    const tree = `${repository.folder}-tree`;
    repository.git('worktree', 'add', '--quiet', '--detach', tree);
    expect(await agentTold(tree)).toBe(agent);
    const copy = `${repository.folder}-copy`;
    repository.git('clone', '--quiet', repository.folder, copy);
    expect(await agentTold(copy)).toBe(agent);
    expect(await agentTold(repository.folder, 'codex')).not.toBe(agent);
  });

  it('the agent id is the same for any spelling of the remote, and differs between repositories with one folder name', async () => {
    const at = (name: string, remote: string) => {
      const repository = new ScratchRepository(join(new ScratchRepository().folder, name));
      repository.git('remote', 'add', 'origin', remote);
      return repository.folder;
    };
    const agent = await agentTold(at('shop', 'git@git.example:team/shop.git'));
    expect(agent).toBe('claude-shop');
    expect(await agentTold(at('elsewhere', 'https://ada:secret@GIT.example:8443/team/shop'))).toBe(agent);
    expect(await agentTold(at('shop', 'https://git.example/other/shop'))).not.toBe(agent);
  });
});

describe('guildhall connect with a stored sign-in', () => {
  it.each(['claude', 'codex'])(
    'connects %s without an exported token, and shows the agent and how to approve the server',
    async (program) => {
      const { folder } = new ScratchRepository();
      const { code, stderr } = await run(['connect', program], folder);
      expect(code, stderr).toBe(0);
      expect(stderr).toContain(`the agent ${await agentTold(folder, program)}`);
      expect(stderr).toMatch(program === 'claude' ? /Approve it.*\/mcp/ : /\/hooks/);
      const wired = readFileSync(
        join(folder, program === 'claude' ? '.mcp.json' : '.codex/config.toml'),
        'utf8',
      );
      expect(wired).not.toContain('GUILDHALL_TOKEN');
      expect(wired).not.toContain(cli.workspace.token);
      expect(await doctor(folder)).toMatchObject({ code: 0, ok: true, wrong: [] });
      const before = wired;
      await run(['connect', program], folder);
      expect(
        readFileSync(join(folder, program === 'claude' ? '.mcp.json' : '.codex/config.toml'), 'utf8'),
      ).toBe(before);
      const request = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n';
      const { stdout } = await run(['mcp', '--url', cli.url], folder, request);
      expect(stdout).toContain('recall_memories');
    },
  );
});

describe('Refused hooks', () => {
  it('guildhall doctor and the next session start report a refused hook until it succeeds', async () => {
    const other = await cli.world.workspace({ name: 'Birch' });
    const agent_id = 'claude-of-birch';
    await cli.world.inject({
      method: 'POST',
      url: '/api/v1/memory/memories',
      headers: other.bearer,
      payload: { agent_id, kind: 'fact', title: 'Theirs', body: 'Theirs alone.' },
    });
    const { folder } = new ScratchRepository();
    await run(['connect', 'claude'], folder);
    expect(await doctor(folder)).toMatchObject({ code: 0, wrong: [] });

    writeFileSync(join(folder, 'guildhall.json'), JSON.stringify({ agent_id }));
    const transcript = join(folder, 'said.jsonl');
    writeFileSync(transcript, '{"type":"user","message":{"content":"We deploy on Tuesdays."}}\n');
    const end = () =>
      run(['hook', 'session-end'], folder, JSON.stringify({ session_id: 's', transcript_path: transcript }));
    expect(await end()).toMatchObject({ code: 0, stdout: '', stderr: '' });
    await expect.poll(async () => (await doctor(folder)).code, { timeout: 120_000 }).toBe(1);
    expect((await doctor(folder)).wrong).toMatchObject([
      {
        check: 'last failures',
        detail: expect.stringContaining('session-end of claude: This agent does not belong to the workspace'),
      },
    ]);
    expect(await doctor(new ScratchRepository().folder), 'of another repository').toMatchObject({ code: 0 });
    const told = await startSession(folder);
    expect(told).toContain('This agent does not belong to the workspace');
    expect(told).toContain('guildhall doctor');
    expect(await startSession(folder), 'once').not.toContain('does not belong');

    writeFileSync(join(folder, 'guildhall.json'), '{}');
    await end();
    await expect.poll(async () => (await doctor(folder)).code, { timeout: 120_000 }).toBe(0);
  });

  it('the next session start reports a refused hook, even while session starts are refused', async () => {
    const { folder } = new ScratchRepository();
    const gone = { GUILDHALL_URL: cli.url, GUILDHALL_TOKEN: 'guild_pat_gone' };
    const start = () => run(['hook', 'session-start'], folder, '{}', gone);
    expect(await start()).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await startSession(folder, 'claude', gone)).toContain('guildhall doctor');
  });
});

describe('guildhall doctor', () => {
  it('lists the problems and exits with 1', async () => {
    const { folder } = new ScratchRepository();
    const nobody = { XDG_CONFIG_HOME: '/nonexistent' };
    const signedOut = await doctor(folder, nobody);
    expect(signedOut).toMatchObject({ code: 1, ok: false, wrong: [{ check: 'sign-in' }] });
    const away = await doctor(folder, { GUILDHALL_URL: 'http://127.0.0.1:9', GUILDHALL_TOKEN: 'x' });
    expect(away.wrong).toMatchObject([
      { check: 'sign-in', detail: expect.stringContaining('cannot be reached') },
    ]);
    await run(['connect', 'claude'], folder);
    writeFileSync(join(folder, '.claude/settings.json'), '{}');
    expect((await doctor(folder)).wrong).toMatchObject([
      { check: 'wiring of claude', detail: expect.stringContaining('.claude/settings.json') },
    ]);
    await run(['connect', 'claude'], folder, '', {
      GUILDHALL_URL: cli.url,
      GUILDHALL_TOKEN: cli.workspace.token,
    });
    expect((await doctor(folder)).wrong).toMatchObject([{ check: 'token of claude' }]);
    const { brand, admin } = cli.workspace;
    const token = await world.token(brand, admin, ['memory:read']);
    expect((await doctor(folder, { GUILDHALL_URL: cli.url, GUILDHALL_TOKEN: token })).wrong).toMatchObject([
      { check: 'token', detail: expect.stringContaining('memory:write') },
    ]);
    const { code, stdout } = await run(['doctor'], folder);
    expect(code).toBe(1);
    expect(stdout).toMatch(/sign-in\tok\t/);
  });

  it('reports an unconnected repository without an error', async () => {
    const { folder } = new ScratchRepository();
    expect(await doctor(folder)).toMatchObject({ code: 0, ok: true });
  });
});
