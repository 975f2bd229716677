import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, startCliWorld } from './cli-world.js';

let cli: CliWorld;
beforeAll(async () => {
  cli = await startCliWorld();
});
afterAll(() => cli?.stop());

describe('guildhall projects key', () => {
  const keyOf = (project: string, more: string[] = []) =>
    cli.guildhall(['projects', 'key', '--project', project, ...more]);
  const make = (name: string) =>
    cli.json<{ project_id: string }>([
      'projects',
      'create',
      name,
      '--repository',
      'https://git.example/a.git',
    ]);

  it("prints only the project's key, and the same key on a second call", async () => {
    await make('Lamp');
    const { code, stdout } = await keyOf('Lamp');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^ssh-ed25519 \S+ guildhall-project-\S+\n$/)]);
    expect((await keyOf('Lamp')).stdout).toBe(stdout);
    await make('Other');
    expect((await keyOf('Other')).stdout).not.toBe(stdout);
  });

  it('asks for confirmation before it removes a token', async () => {
    const { project_id } = await make('Tokened');
    const path = `/api/v1/projects/${project_id}/credentials`;
    await cli.call('PUT', path, { kind: 'token', token: 'a-token-of-the-host' });
    expect((await keyOf('Tokened')).code).toBe(2);
    expect(await cli.call('GET', path)).toMatchObject({ kind: 'token' });
    expect((await keyOf('Tokened', ['--yes'])).stdout).toMatch(/^ssh-ed25519 /);
    expect(await cli.call('GET', path)).toMatchObject({ kind: 'deploy_key' });
  });
});

describe('guildhall secrets', () => {
  it('sets a secret from standard input, lists it without its value, and removes it', async () => {
    await cli.json(['projects', 'create', 'Vault']);
    const secrets = (args: string[], stdin = '') =>
      cli.guildhall(['secrets', ...args, '--project', 'Vault'], { stdin });
    expect(await secrets(['set', 'NPM_TOKEN', '--to', 'setup,coder'], 'hunter2\n')).toMatchObject({
      code: 0,
      stdout: 'Set NPM_TOKEN for setup, coder.\n',
    });
    const listed = await secrets(['list']);
    expect(listed.stdout).toMatch(/NPM_TOKEN\s+setup, coder/);
    expect(listed.stdout).not.toContain('hunter2');
    expect((await secrets(['set', 'PATH'], 'x')).stderr).toContain('reserved');
    expect((await secrets(['set', 'EMPTY'])).stderr).toContain('The value is empty');
    expect((await secrets(['set', 'ONE', '--to', 'world'], 'x')).code).toBe(2);
    expect((await secrets(['remove', 'NPM_TOKEN'])).code).toBe(2);
    expect((await secrets(['remove', 'NPM_TOKEN', '--yes'])).code).toBe(0);
  });
});
