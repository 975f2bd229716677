import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from '../support/app.js';
import { ScratchRepository } from '../support/scratch-repository.js';
import { type CliWorld, runProgram, startCliWorld } from './cli-world.js';

let cli: CliWorld;
beforeAll(async () => {
  cli = await startCliWorld();
  const memory = { agent_id: 'claude-shop', kind: 'fact', title: 'Born', body: 'Here.' };
  await cli.call('POST', '/api/v1/memory/memories', memory);
});
afterAll(() => cli?.stop());

const signIn = () =>
  cli.guildhall(['login', '--url', cli.url, '--email', cli.workspace.admin.email, '--password', '-'], {
    stdin: PASSWORD,
  });

describe('guildhall tokens', () => {
  it("requires a person's sign-in, and refuses a token", async () => {
    const refused = await cli.guildhall(['tokens', 'list']);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('guildhall login --email');
  });

  it("creates an agent's token in a file, lists it with its agent, and revokes it", async () => {
    expect((await signIn()).code).toBe(0);
    const file = join(cli.home, 'shop.txt');
    const words = ['tokens', 'create', 'Shop', '--agent', 'claude-shop', '--to', file];
    const made = await cli.guildhall([...words, '--json']);
    expect(made.code, made.stderr).toBe(0);
    const token = (await readFile(file, 'utf8')).trim();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(made.stdout + made.stderr).not.toContain(token);
    const { token_id } = JSON.parse(made.stdout);

    const listed = await cli.json<{ token_id: string; agent_id: string | null }[]>(['tokens', 'list']);
    expect(listed.find((each) => each.token_id === token_id)?.agent_id).toBe('claude-shop');

    const env = { GUILDHALL_TOKEN: token };
    expect(await cli.json(['whoami'], { env })).toMatchObject({
      user: cli.workspace.admin.email,
      agent: 'claude-shop',
      agent_id: 'claude-shop',
    });
    expect((await cli.json(['whoami'])).agent).toBeNull();

    expect((await cli.guildhall(['tokens', 'revoke', token_id])).code).toBe(0);
    expect((await cli.guildhall(['whoami'], { env })).code).toBe(4);
  });

  it('keeps no file if the token is refused, and requires a path', async () => {
    const file = join(cli.home, 'none.txt');
    const refused = await cli.guildhall(['tokens', 'create', 'x', '--agent', 'nobody', '--to', file]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('agent_id must name an agent'),
    ]);
    await expect(stat(file)).rejects.toThrow('ENOENT');
    expect((await cli.guildhall(['tokens', 'create', 'x'])).code).toBe(2);
  });

  it('guildhall admin issue-token does the same for a member', async () => {
    const { brand, admin } = cli.workspace;
    const file = join(cli.home, 'issued.txt');
    const env = { ...cli.nobody, GUILDHALL_URL: cli.url, GUILDHALL_ADMIN_KEY: 'test-admin-key' };
    const whose = [String(brand.brand_id), String(admin.user_id)];
    const words = ['admin', 'issue-token', ...whose, '--agent', 'claude-shop', '--to', file, '--json'];
    const { code, stdout, stderr } = await runProgram(words, { env });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout).agent_id).toBe('claude-shop');
  });
});

describe('guildhall connect', () => {
  it('explains how an agent gets its own token until it has one', async () => {
    const cwd = new ScratchRepository().folder;
    const scopes = ['memory:read', 'memory:write', 'code:read'].flatMap((scope) => ['--scope', scope]);
    const before = await cli.guildhall(['connect', 'claude'], { cwd });
    expect(before.code, before.stderr).toBe(0);
    const [, agent] = /works here as the agent (\S+)/.exec(before.stderr)!;
    expect(before.stderr).toContain(
      `guildhall tokens create ${agent} --agent ${agent} ${scopes.join(' ')} --to <file>`,
    );
    const file = join(cli.home, 'own.txt');
    const made = await cli.guildhall([
      'tokens',
      'create',
      agent!,
      '--agent',
      agent!,
      ...scopes,
      '--to',
      file,
    ]);
    expect(made.code, made.stderr).toBe(0);
    const env = { GUILDHALL_TOKEN: (await readFile(file, 'utf8')).trim() };
    const after = await cli.guildhall(['connect', 'claude'], { cwd, env });
    expect(after.stderr).toContain('works here as the agent');
    expect(after.stderr).not.toContain('tokens create');
  });
});
