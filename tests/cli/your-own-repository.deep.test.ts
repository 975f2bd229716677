import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMachine, freePort, isRoot, type Machine, runProgram } from '../desk-end-to-end/real-desk.js';
import { PASSWORD, startTestApp } from '../support/app.js';
import { SshHost } from '../support/ssh-host.js';
import { type CliWorld, PROGRAM, startCliWorld } from './cli-world.js';

/** Runs the guide as pasted, with a real service, repository host, installer, desk and git. */

const GUIDE = new URL('../../docs/guide/your-own-repository.md', import.meta.url);
const canRun = isRoot && SshHost.isAvailable;
if (!canRun) console.warn('SKIPPED: the guide to your own repository needs root for its desk, and sshd');

describe.skipIf(!canRun)('docs/guide/your-own-repository.md', () => {
  let cli: CliWorld;
  let host: SshHost;
  let machine: Machine;
  let folder: string;

  beforeAll(async () => {
    const port = await freePort();
    const world = await startTestApp({
      workers: true,
      env: { BASE_URL: `http://127.0.0.1:${port}`, GIT_NETWORKS: '127.0.0.0/8' },
    });
    await world.server.listen({ port, host: '127.0.0.1' });
    cli = await startCliWorld(world);
    host = await SshHost.start();
    machine = await createMachine();
    // The build's user needs access to its checkout below this folder.
    chmodSync(machine.root, 0o711);
    folder = mkdtempSync(join(tmpdir(), 'guildhall-guide-'));
  });
  afterAll(async () => {
    await machine?.remove();
    await host?.stop();
    await cli?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  /** The guide's commands, with system folders replaced by temporary ones. */
  function readGuide(): string {
    const moved = {
      '/srv/git': join(folder, 'srv'),
      '/etc/guildhall': machine.path('etc/guildhall'),
      '.ssh/authorized_keys': host.authorizedKeys,
    };
    let text = [...readFileSync(GUIDE, 'utf8').matchAll(/^```bash\n([\s\S]*?)^```$/gm)]
      .map(([, block]) => block!)
      .filter((block) => !block.startsWith('export '))
      .join('\n');
    for (const [place, own] of Object.entries(moved)) {
      expect(text).toContain(place);
      text = text.replaceAll(place, own);
    }
    return text;
  }

  /** The reader's environment: an SSH key that the host knows, and git's author settings. */
  function makeReader(): Record<string, string> {
    const bin = join(folder, 'bin');
    const key = join(folder, 'id');
    mkdirSync(bin);
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    host.authorize(readFileSync(`${key}.pub`, 'utf8').trim());
    const ssh = `ssh -F none -i '${key}' -o IdentitiesOnly=yes -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile='${join(folder, 'known_hosts')}'`;
    const programs = {
      guildhall: `exec '${process.execPath}' '${PROGRAM}' "$@"`,
      ssh: `PATH='${process.env['PATH']}' exec ${ssh} "$@"`,
    };
    for (const [name, line] of Object.entries(programs))
      writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    return {
      ...cli.nobody,
      PATH: `${bin}:${process.env['PATH']}`,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@acme.example',
      GIT_COMMITTER_NAME: 'Ada',
      GIT_COMMITTER_EMAIL: 'ada@acme.example',
    };
  }

  it('leads from an empty folder to a merged change', async () => {
    const env = {
      ...makeReader(),
      GUILDHALL_URL: cli.url,
      EMAIL: cli.workspace.admin.email,
      PASSWORD,
      HOST: host.urlOf(''),
      RUNTIME: 'custom',
      GUILDHALL_ROOT: machine.root,
      GUILDHALL_SIDECAR_PORT: String(await freePort()),
    };
    const work = join(folder, 'work');
    mkdirSync(work);
    // Output goes to a file, because the desk that the guide sets up would keep a pipe open.
    const said = join(folder, 'said');
    const script = `exec >'${said}' 2>&1\nset -euo pipefail\n${readGuide()}`;
    const { code } = await runProgram('timeout', ['900', 'bash', '-c', script], { cwd: work, env });
    const output = readFileSync(said, 'utf8');
    expect(code, output).toBe(0);
    expect(output.match(/Reading the brief/g), 'once for each attempt').toHaveLength(2);

    const atHost = (...args: string[]) =>
      execFileSync('git', ['--git-dir', join(folder, 'srv/lamp.git'), ...args], { encoding: 'utf8' }).trim();
    expect(atHost('show', 'main:README.md')).toBe('A lamp. It is lit at dusk.');
    expect(atHost('rev-parse', 'main')).toBe(atHost('rev-parse', 'guildhall/lam-1-2'));
    expect(atHost('log', '--format=%s', 'main').split('\n').at(-1)).toBe('Begin');

    const { projects } = await cli.call<{ projects: { project_id: string }[] }>('GET', '/api/v1/projects');
    expect(
      await cli.call('GET', `/api/v1/projects/${projects[0]!.project_id}/credentials`),
      'by the key of the project alone',
    ).toMatchObject({ kind: 'deploy_key', used_at: expect.any(String) });
    expect(await cli.json(['cards', 'show', 'LAM-1'])).toMatchObject({ status: 'done' });
  }, 960_000);
});
