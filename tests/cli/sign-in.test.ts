import { spawn, spawnSync } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from '../support/app.js';
import { ScratchRepository } from '../support/scratch-repository.js';
import { type CliWorld, PROGRAM, runCommand, startCliWorld } from './cli-world.js';

const hasTerminal = spawnSync('script', ['--version']).error === undefined;
if (!hasTerminal) console.warn('SKIPPED: questions on a terminal: script (util-linux) is not installed');

let cli: CliWorld;
beforeAll(async () => {
  cli = await startCliWorld();
});
afterAll(() => cli?.stop());

const asNobody = (
  args: string[],
  options: { stdin?: string; env?: Record<string, string>; cwd?: string } = {},
) => runCommand(args, { ...options, env: { ...cli.nobody, ...options.env } });

const configFile = () => join(cli.home, 'config', 'guildhall', 'config.json');

describe('guildhall login', () => {
  it('reads the token from a pipe and stores it in a file with mode 0600', async () => {
    const { code, stdout, stderr } = await asNobody(['login', '--url', `${cli.url}/`, '--token', '-'], {
      stdin: `${cli.workspace.token}\n`,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Signed in to Acme Robotics');
    expect((await stat(configFile())).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(configFile(), 'utf8'))).toMatchObject({
      contexts: { [`${new URL(cli.url).host}/acme-robotics`]: { url: cli.url, token: cli.workspace.token } },
    });
  });

  it('rejects a token as an argument value, without repeating it', async () => {
    const { code, stdout, stderr } = await asNobody([
      'login',
      '--url',
      cli.url,
      '--token',
      'guild_pat_secret',
    ]);
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain('guild_pat_secret');
    expect(stderr).toContain('--token -');
    for (const slip of [
      ['login', '--tokne=guild_pat_secret'],
      ['login', 'guild_pat_secret'],
      ['guild_pat_secret'],
    ]) {
      const ran = await asNobody(slip);
      expect(ran.code).toBe(2);
      expect(ran.stdout + ran.stderr).not.toContain('guild_pat_secret');
    }
  });

  it('exits with 4 and shows the request id for an unknown token', async () => {
    const { code, stderr } = await asNobody(['login', '--url', cli.url, '--token', '-'], {
      stdin: 'guild_pat_none',
    });
    expect(code).toBe(4);
    expect(stderr).toMatch(/request id: \S+/);
    expect(stderr).not.toContain('guild_pat_none');
  });

  it('does not prompt without a terminal', async () => {
    const { code, stderr } = await asNobody(['login', '--url', cli.url]);
    expect(code).toBe(2);
    expect(stderr).toContain('Pipe it in');
  });

  it.each(['ftp://guildhall.example', 'https://me:secret@guildhall.example', 'nowhere'])(
    'rejects the address %s',
    async (url) => {
      const { code, stderr } = await asNobody(['login', '--url', url, '--token', '-'], { stdin: 'x' });
      expect(code).toBe(2);
      expect(stderr).not.toContain('secret');
    },
  );

  it.skipIf(!hasTerminal)('prompts for the email address and then the password on a terminal', async () => {
    const home = join(cli.home, 'at-a-terminal');
    const command = `'${process.execPath}' '${PROGRAM}' login --url ${cli.url}`;
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { PATH: process.env['PATH'] ?? '', HOME: home, XDG_CONFIG_HOME: home },
    });
    const answers: [question: string, answer: string][] = [
      ['Email (leave empty to use an access token):', cli.workspace.admin.email],
      [`Password for ${cli.workspace.admin.email}:`, PASSWORD],
    ];
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const [question, answer] = answers[0] ?? [];
      if (question === undefined || !said.includes(question)) return;
      answers.shift();
      child.stdin.write(`${answer}\n`);
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code, said).toBe(0);
    expect(said).toContain(`as ${cli.workspace.admin.email}`);
    expect(said).not.toContain(PASSWORD);
  });

  it('keeps a session next to the token, for endpoints that accept people only', async () => {
    const refused = await asNobody(['desks', 'list']);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('guildhall login --email');
    const { code, stdout } = await asNobody(
      ['login', '--url', cli.url, '--email', cli.workspace.admin.email, '--password', '-'],
      { stdin: PASSWORD },
    );
    expect(code, stdout).toBe(0);
    expect((await asNobody(['desks', 'list', '--json'])).stdout).toBe('[]\n');
    expect((await asNobody(['hires', 'list', '--json'])).code).toBe(0);
    expect((await asNobody(['context', '--json', 'credentials'])).stdout).toContain('"session"');
  });
});

describe('guildhall whoami and guildhall context', () => {
  it('shows the server and the person, and never the token', async () => {
    const { code, stdout } = await asNobody(['whoami']);
    expect(code).toBe(0);
    expect(stdout).toContain(cli.workspace.admin.email);
    expect(stdout).not.toContain(cli.workspace.token);
    for (const form of ['--json', '--yaml']) {
      const listed = await asNobody(['context', 'list', form]);
      expect(listed.stdout).toContain(cli.url);
      expect(listed.stdout).not.toContain(cli.workspace.token);
    }
  });

  it('manages several servers and workspaces', async () => {
    const other = await cli.world.workspace({ name: 'Birch & Co' });
    await asNobody(['login', '--url', cli.url, '--token', '-', '--name', 'birch'], { stdin: other.token });
    const who = async (args: string[] = []) =>
      JSON.parse((await asNobody(['whoami', '--json', ...args])).stdout) as { workspace: string };
    expect(await who()).toMatchObject({ workspace: 'Birch & Co' });
    const acme = `${new URL(cli.url).host}/acme-robotics`;
    expect(await who(['--context', acme])).toMatchObject({ workspace: 'Acme Robotics' });
    expect((await asNobody(['context', 'use', acme])).code).toBe(0);
    expect(await who()).toMatchObject({ workspace: 'Acme Robotics' });
    const unknown = await asNobody(['context', 'use', 'nowhere']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('birch');
  });

  it('prefers GUILDHALL_URL and GUILDHALL_TOKEN over the file', async () => {
    const other = await cli.world.workspace({ name: 'Cedar' });
    const { stdout } = await asNobody(['whoami', '--json'], {
      env: { GUILDHALL_URL: cli.url, GUILDHALL_TOKEN: other.token },
    });
    expect(JSON.parse(stdout)).toMatchObject({ workspace: 'Cedar' });
  });
});

describe('Stored tokens', () => {
  it('sends no stored token to another server named by GUILDHALL_URL', async () => {
    const { code, stderr } = await asNobody(['whoami'], { env: { GUILDHALL_URL: 'http://127.0.0.1:9' } });
    expect(code).toBe(4);
    expect(stderr).toContain('not signed in to http://127.0.0.1:9');
  });

  it('sends no stored token to a server named by a checkout', async () => {
    const { folder } = new ScratchRepository();
    await writeFile(join(folder, 'guildhall.json'), '{"url": "https://attacker.example"}');
    const kept = await asNobody(['whoami'], { cwd: folder });
    expect(kept.code).toBe(4);
    const given = await asNobody(['whoami'], { cwd: folder, env: { GUILDHALL_TOKEN: cli.workspace.token } });
    expect(given.code).toBe(4);
    expect(given.stderr).toContain('Your token was not sent');
  });
});

describe('guildhall logout', () => {
  it('reports an unknown context', async () => {
    const { code, stderr } = await asNobody(['logout', '--context', 'nowhere']);
    expect(code).toBe(2);
    expect(stderr).toContain('Context not found: nowhere');
  });

  it('removes the token', async () => {
    expect((await asNobody(['logout', '--all'])).code).toBe(0);
    expect(await readFile(configFile(), 'utf8')).not.toContain(cli.workspace.token);
    const { code, stderr } = await asNobody(['cards', 'list']);
    expect(code).toBe(4);
    expect(stderr).toContain('guildhall login');
  });
});
