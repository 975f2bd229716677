import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PASSWORD, startTestApp, type World } from '../support/app.js';
import { ScratchRepository } from '../support/scratch-repository.js';
import { type CliWorld, PROGRAM, runCommand, startCliWorld } from './cli-world.js';

let world: World;
let cli: CliWorld;
let bin: string;
let home: string;
let folder: string;
let homes = 0;

beforeAll(async () => {
  world = await startTestApp();
  cli = await startCliWorld(world);
  bin = join(cli.home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'guildhall'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, {
    mode: 0o755,
  });
});
afterAll(() => cli?.stop());

/** A new home folder without a sign-in, and a repository in it. */
beforeEach(() => {
  homes += 1;
  home = join(cli.home, `home-${homes}`);
  mkdirSync(home);
  folder = new ScratchRepository().folder;
});

/** Hooks give up after 1.4 seconds by default, which is too short on a busy machine. */
const env = () => ({
  HOME: home,
  XDG_CONFIG_HOME: join(home, 'config'),
  XDG_STATE_HOME: join(home, 'state'),
  PATH: `${bin}:${process.env['PATH']}`,
  GUILDHALL_HOOK_SECONDS: '60',
});
const run = (args: string[], { cwd = folder, stdin = '', more = {} as Record<string, string> } = {}) =>
  runCommand(args, { cwd, stdin, env: { ...env(), ...more } });
async function succeed(args: string[], options: Parameters<typeof run>[1] = {}) {
  const ran = await run(args, options);
  expect(ran.code, `${args.join(' ')}\n${ran.stderr}`).toBe(0);
  return ran;
}
const json = async <T>(args: string[], options: Parameters<typeof run>[1] = {}) =>
  JSON.parse((await succeed([...args, '--json'], options)).stdout) as T;

const signIn = ({ email } = cli.workspace.admin) =>
  succeed(['login', '--url', cli.url, '--email', email, '--password', '-'], { stdin: PASSWORD });
const signInWith = (token: string) => succeed(['login', '--url', cli.url, '--token', '-'], { stdin: token });

interface Token {
  token_id: string;
  agent_id: string | null;
  scopes: string[];
}
const tokensOf = async (agent: string | null) =>
  (await json<Token[]>(['tokens', 'list'])).filter(({ agent_id }) => agent_id === agent);

interface Kept {
  token: string;
  token_id: string;
  agent_id: string | null;
}
const configFile = () => join(home, 'config', 'guildhall', 'config.json');
const listKept = (): Kept[] => {
  const { contexts } = JSON.parse(readFileSync(configFile(), 'utf8')) as {
    contexts: Record<string, { agents?: Kept[] }>;
  };
  return Object.values(contexts).flatMap(({ agents = [] }) => agents);
};
const agentOf = (told: string) => /works here as the agent (\S+)/.exec(told)![1]!;

interface Finding {
  check: string;
  state: string;
  detail: string;
  hint: string | null;
}
async function doctor(options: Parameters<typeof run>[1] = {}) {
  const { code, stdout } = await run(['doctor', '--json'], options);
  const { checks } = JSON.parse(stdout) as { checks: Finding[] };
  const of = (name: string) => checks.find(({ check }) => check === name);
  return { code, of, wrong: checks.filter(({ state }) => state === 'wrong') };
}

describe('guildhall connect, signed in with --email', () => {
  it.each(['claude', 'codex'])(
    'creates a token for %s, stored outside the repository and readable only by its owner',
    async (program) => {
      await signIn();
      const { stderr } = await succeed(['connect', program]);
      const agent = agentOf(stderr);
      const [token, ...others] = await tokensOf(agent);
      expect(others).toEqual([]);
      expect(token!.scopes).toEqual(['memory:read', 'memory:write', 'code:read']);
      const [kept] = listKept();
      expect(kept).toMatchObject({ token_id: token!.token_id, agent_id: agent });
      expect(statSync(configFile()).mode & 0o777).toBe(0o600);
      expect(stderr).not.toContain(kept!.token);
      for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
        if (statSync(join(folder, path)).isFile())
          expect(readFileSync(join(folder, path), 'utf8'), path).not.toContain('guild_pat_');
      const checked = await doctor();
      expect([checked.code, checked.wrong]).toEqual([0, []]);
      expect(checked.of(`agent of ${program}`)?.detail).toBe(`${agent}, with its own token`);
    },
  );

  it('makes hooks and the MCP entry act as the agent', async () => {
    await signIn();
    const agent = agentOf((await succeed(['connect', 'claude'])).stderr);
    const transcript = join(home, 'said.jsonl');
    writeFileSync(transcript, '{"type":"user","message":{"content":"We deploy on Tuesdays."}}\n');
    // After the session ends, only the agent's own token is left.
    const { contexts } = JSON.parse(readFileSync(configFile(), 'utf8'));
    const [{ session }] = Object.values(contexts) as [{ session: string }];
    await fetch(`${cli.url}/api/v1/auth/logout`, { method: 'POST', headers: { cookie: session } });
    expect((await run(['whoami'])).code).toBe(4);
    const started = await run(['hook', 'session-start', '--program', 'claude'], { stdin: '{}' });
    expect(started.stdout).toContain(`agent_id \`${agent}\``);
    const event = JSON.stringify({ session_id: agent, transcript_path: transcript });
    await run(['hook', 'session-end', '--program', 'claude'], { stdin: event });
    const conversations = async () =>
      (await cli.call<{ conversations: { agent_id: string }[] }>('GET', '/api/v1/memory/conversations'))
        .conversations;
    await expect.poll(conversations).toContainEqual(expect.objectContaining({ agent_id: agent }));

    const entry = JSON.parse(readFileSync(join(folder, '.mcp.json'), 'utf8')).mcpServers.guildhall;
    const create = {
      name: 'create_memory',
      arguments: { agent_id: agent, kind: 'fact', title: 'T', body: 'B' },
    };
    const board = await cli.call<{ board_id: string }>('POST', '/api/v1/board/boards', { name: 'Own token' });
    const card = { name: 'create_task', arguments: { board_id: board.board_id, title: 'By the agent' } };
    const stdin = [create, card]
      .map((params, id) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`)
      .join('');
    const answered = await run(entry.args, { stdin });
    expect(answered.stdout, answered.stderr).toContain('By the agent');
    const { items } = await cli.call<{ items: { action: string; actor: { agent_id: string } }[] }>(
      'GET',
      `/api/v1/board/activity/boards/${board.board_id}`,
    );
    expect(items.find(({ action }) => action === 'task.created')?.actor.agent_id).toBe(agent);
  });

  it('keeps the token on later runs and in other worktrees, and revokes it with the last --undo', async () => {
    await signIn();
    const repository = new ScratchRepository();
    repository.save({ 'a.txt': 'a' });
    const tree = `${repository.folder}-tree`;
    repository.git('worktree', 'add', '--quiet', '--detach', tree);
    const agent = agentOf((await succeed(['connect', 'claude'], { cwd: repository.folder })).stderr);
    const before = listKept();
    await succeed(['connect', 'claude'], { cwd: repository.folder });
    await succeed(['connect', 'claude'], { cwd: tree });
    expect(listKept()).toMatchObject([{ token: before[0]!.token }]);
    expect(await tokensOf(agent)).toHaveLength(1);

    const first = await succeed(['connect', 'claude', '--undo'], { cwd: tree });
    expect(first.stderr).not.toContain('revoked');
    expect(await tokensOf(agent)).toHaveLength(1);
    const last = await succeed(['connect', 'claude', '--undo'], { cwd: repository.folder });
    expect(last.stderr).toContain(`Revoked the token of ${agent}.`);
    expect(listKept()).toEqual([]);
    expect(await tokensOf(agent)).toEqual([]);
    repository.git('worktree', 'remove', '--force', tree);
  });

  it('connects the repository when the server is unreachable, and asks to run it again', async () => {
    await signIn();
    const config = readFileSync(configFile(), 'utf8');
    writeFileSync(configFile(), config.replaceAll(cli.url, 'http://127.0.0.1:9'));
    const { stderr } = await succeed(['connect', 'claude']);
    expect(stderr).toContain('After that, run guildhall connect claude again.');
    expect(readFileSync(join(folder, '.mcp.json'), 'utf8')).not.toContain('GUILDHALL_TOKEN');
    expect(listKept()).toEqual([]);
  });

  it("guildhall logout revokes the agents' tokens", async () => {
    await signIn();
    const agent = agentOf((await succeed(['connect', 'claude'])).stderr);
    await succeed(['logout']);
    await signIn();
    expect(listKept()).toEqual([]);
    expect(await tokensOf(agent)).toEqual([]);
    const checked = await doctor();
    expect(checked.wrong).toMatchObject([
      {
        check: 'agent of claude',
        detail: `${agent} has no token`,
        hint: 'Create one with: guildhall connect claude',
      },
    ]);
    await succeed(['connect', 'claude']);
    expect((await doctor()).wrong).toEqual([]);
  });

  it('keeps nothing of the previous person when another signs in to the same workspace', async () => {
    await signIn();
    await succeed(['connect', 'claude']);
    await signIn(await world.member(cli.workspace.brand));
    expect(listKept()).toEqual([]);
  });
});

describe('An agent in guildhall.json without memories', () => {
  it("acts in the person's name until the agent's first memory, and then with the agent's own token", async () => {
    await signIn();
    writeFileSync(join(folder, 'guildhall.json'), '{"agent_id": "claude-of-tomorrow"}');
    const first = await succeed(['connect', 'claude']);
    expect(first.stderr).toContain(
      'The agent claude-of-tomorrow does not exist yet, so its changes show your name.',
    );
    const [kept] = listKept();
    expect(kept).toMatchObject({ agent_id: null });
    await succeed(['connect', 'claude']);
    expect(listKept()).toMatchObject([{ token_id: kept!.token_id }]);
    const checked = await doctor();
    expect(checked.wrong).toEqual([]);
    expect(checked.of('agent of claude')?.detail).toBe('claude-of-tomorrow, with your credentials');
    await succeed(['memory', 'add', 'Born', '--kind', 'fact', '--agent', 'claude-of-tomorrow']);
    await succeed(['connect', 'claude']);
    expect(listKept()).toMatchObject([{ agent_id: 'claude-of-tomorrow' }]);
    expect((await tokensOf(null)).map(({ token_id }) => token_id)).not.toContain(kept!.token_id);
  });
});

describe('Hints of guildhall doctor', () => {
  const follow = async ({ hint }: Finding) => {
    const commands = [...hint!.matchAll(/guildhall (login --email|connect claude)/g)].map(
      ([, words]) => words,
    );
    expect(commands, hint!).not.toEqual([]);
    for (const words of commands) {
      if (words === 'connect claude') await succeed(['connect', 'claude']);
      else await signIn();
    }
  };

  it('hint replaces an MCP entry that reads a GUILDHALL_TOKEN which is not exported', async () => {
    await succeed(['connect', 'claude'], {
      more: { GUILDHALL_URL: cli.url, GUILDHALL_TOKEN: cli.workspace.token },
    });
    await signIn();
    const { wrong } = await doctor();
    const missing = wrong.find(({ check }) => check === 'token of claude')!;
    expect(missing.detail).toBe('The MCP entry reads GUILDHALL_TOKEN, which is not set');
    await follow(missing);
    expect((await doctor()).wrong).toEqual([]);
  });

  it('hint replaces a revoked token', async () => {
    await signIn();
    await succeed(['connect', 'claude']);
    const [gone] = listKept();
    await succeed(['tokens', 'revoke', gone!.token_id]);
    const { wrong } = await doctor();
    expect(wrong).toMatchObject([{ check: 'agent of claude', detail: 'The token is no longer valid' }]);
    await follow(wrong[0]!);
    expect((await doctor()).wrong).toEqual([]);
    expect(listKept()[0]!.token_id).not.toBe(gone!.token_id);
  });

  it.each(['stored', 'exported'])("hint replaces another agent's token that is %s", async (where) => {
    await signIn();
    await succeed(['memory', 'add', 'Born', '--kind', 'fact', '--agent', 'claude-elsewhere']);
    const file = join(home, 'token.txt');
    const scopes = ['memory:read', 'memory:write', 'code:read'].flatMap((scope) => ['--scope', scope]);
    await succeed(['tokens', 'create', 'x', '--agent', 'claude-elsewhere', ...scopes, '--to', file]);
    const token = readFileSync(file, 'utf8').trim();
    rmSync(configFile());
    if (where === 'stored') await signInWith(token);
    const more = where === 'stored' ? undefined : { GUILDHALL_URL: cli.url, GUILDHALL_TOKEN: token };
    await succeed(['connect', 'claude'], { more });
    const { code, wrong } = await doctor({ more });
    expect([code, wrong]).toMatchObject([
      1,
      [
        {
          check: 'agent of claude',
          detail: expect.stringContaining(
            'The token belongs to the agent claude-elsewhere, but the agent of',
          ),
        },
      ],
    ]);
    if (where === 'exported') {
      expect(wrong[0]!.hint).toContain('Unset GUILDHALL_TOKEN');
      await signIn();
    }
    await follow(wrong[0]!);
    const after = await doctor();
    expect(after.wrong).toEqual([]);
    expect(after.of('agent of claude')?.detail).toContain('with its own token');
  });

  it("hint replaces a person's token, which is not reported as an error", async () => {
    await signInWith(cli.workspace.token);
    const { stderr } = await succeed(['connect', 'claude']);
    expect(stderr).toContain('sign in with guildhall login --email');
    const { code, of } = await doctor();
    expect([code, of('agent of claude')]).toMatchObject([
      0,
      { state: 'ok', detail: `${agentOf(stderr)}, with your credentials` },
    ]);
    await follow(of('agent of claude')!);
    expect((await doctor()).of('agent of claude')?.detail).toContain('with its own token');
  });
});
