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
