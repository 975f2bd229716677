import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ScratchRepository } from '../support/scratch-repository.js';
import { buildProgram, runCommand } from './cli-world.js';

beforeAll(buildProgram);

const URL_OF_NOBODY = 'http://127.0.0.1:9';
const LINE = /Guildhall holds the boards, lessons and memory/;
let folder: string;
beforeEach(() => {
  folder = new ScratchRepository().folder;
});

const connect = async (program: string, ...more: string[]) => {
  const ran = await runCommand(['connect', program, ...more], {
    cwd: folder,
    env: { HOME: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent', GUILDHALL_URL: URL_OF_NOBODY },
  });
  expect(ran.code, ran.stderr).toBe(0);
  return ran;
};

/** Returns each file of the working tree with its content. */
function snapshot(at = folder, found: Record<string, string> = {}): Record<string, string> {
  for (const name of readdirSync(at)) {
    const path = join(at, name);
    if (name === '.git') continue;
    if (statSync(path).isDirectory()) snapshot(path, found);
    else found[relative(folder, path)] = readFileSync(path, 'base64');
  }
  return found;
}

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const readJson = <T>(path: string) => JSON.parse(read(path)) as T;

/** Existing files with formatting that must be preserved. */
const FOREIGN = {
  '.mcp.json': '{\n\t"mcpServers": {\n\t\t"other": {"command": "other"}\n\t},\n\t"note": 1\n}',
  '.claude/settings.json':
    '{ "permissions": { "allow": ["Bash(ls:*)"] },\n  "hooks": { "PostToolUse": [ { "matcher": "Bash", "hooks": [ { "type": "command", "command": "echo mine" } ] } ] } }\n',
  '.codex/config.toml': '# mine\nmodel = "o9"\n\n[mcp_servers.other]\ncommand = "other" # stays\n',
  '.codex/hooks.json': '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"echo mine"}]}]}}',
  'AGENTS.md': '# Rules\r\n\r\nBe kind.',
};

describe.each(['claude', 'codex'])('guildhall connect %s', (program) => {
  it('connects with an unreachable server, changes nothing on a second run, and --undo removes everything', async () => {
    await connect(program);
    const once = snapshot();
    expect(Object.keys(once).sort()).toEqual(
      program === 'claude'
        ? ['.claude/settings.json', '.mcp.json', 'AGENTS.md']
        : ['.codex/config.toml', '.codex/hooks.json', 'AGENTS.md'],
    );
    expect(read('AGENTS.md')).toMatch(LINE);
    const { stdout } = await connect(program);
    expect(snapshot()).toEqual(once);
    expect(stdout).not.toMatch(/\t(created|changed)/);
    await connect(program, '--undo');
    expect(snapshot()).toEqual({});
    expect(existsSync(join(folder, program === 'claude' ? '.claude' : '.codex'))).toBe(false);
  });

  it('leaves other entries unchanged, and --undo restores every byte', async () => {
    write(FOREIGN);
    const before = snapshot();
    await connect(program);
    const once = snapshot();
    await connect(program);
    expect(snapshot()).toEqual(once);
    if (program === 'claude') {
      expect(readJson('.mcp.json')).toMatchObject({ note: 1, mcpServers: { other: { command: 'other' } } });
      expect(readJson('.claude/settings.json')).toMatchObject({
        permissions: { allow: ['Bash(ls:*)'] },
        hooks: { PostToolUse: [{ matcher: 'Bash' }, {}] },
      });
    } else {
      expect(read('.codex/config.toml').startsWith(FOREIGN['.codex/config.toml'])).toBe(true);
      expect(readJson<{ hooks: { Stop: unknown[] } }>('.codex/hooks.json').hooks.Stop).toHaveLength(2);
    }
    expect(read('AGENTS.md').startsWith(FOREIGN['AGENTS.md'])).toBe(true);
    await connect(program, '--undo');
    expect(snapshot()).toEqual(before);
  });

  it('--undo removes only its own entries when files were changed in the meantime', async () => {
    write(FOREIGN);
    await connect(program);
    write({ 'AGENTS.md': `${read('AGENTS.md')}Be brief.\r\n` });
    if (program === 'claude') {
      const file = readJson<{ mcpServers: object }>('.mcp.json');
      write({
        '.mcp.json': JSON.stringify({
          ...file,
          mcpServers: { ...file.mcpServers, later: { command: 'later' } },
        }),
      });
    } else write({ '.codex/config.toml': `${read('.codex/config.toml')}\n# later\n[later]\nx = 1\n` });
    await connect(program, '--undo');
    expect(read('AGENTS.md')).toBe('# Rules\r\n\r\nBe kind.\r\nBe brief.\r\n');
    if (program === 'claude')
      expect(readJson('.mcp.json')).toEqual({
        note: 1,
        mcpServers: { other: { command: 'other' }, later: { command: 'later' } },
      });
    else {
      expect(read('.codex/config.toml')).not.toContain('guildhall');
      expect(read('.codex/config.toml')).toContain('# later\n[later]\nx = 1\n');
      expect(read('.codex/config.toml').startsWith(FOREIGN['.codex/config.toml'])).toBe(true);
    }
  });

  it('--undo works in a clone, which has no record of the original files', async () => {
    write(FOREIGN);
    await connect(program);
    rmSync(join(folder, '.git', 'guildhall'), { recursive: true });
    await connect(program, '--undo');
    for (const [path, text] of Object.entries(snapshot()))
      expect(Buffer.from(text, 'base64').toString(), path).not.toMatch(/guildhall/i);
    expect(read('.codex/config.toml')).toBe(FOREIGN['.codex/config.toml']);
  });

  it('changes nothing when one of the files cannot be read', async () => {
    const files = {
      ...FOREIGN,
      [program === 'claude' ? '.claude/settings.json' : '.codex/hooks.json']: '{ // mine\n',
    };
    write(files);
    const before = snapshot();
    const env = { GUILDHALL_URL: URL_OF_NOBODY };
    const { code, stderr } = await runCommand(['connect', program], { cwd: folder, env });
    expect(code).toBe(1);
    expect(stderr).toContain('is not valid JSON');
    expect(snapshot()).toEqual(before);
  });

  it('does not follow a link out of the repository', async () => {
    const outside = new ScratchRepository().folder;
    symlinkSync(outside, join(folder, program === 'claude' ? '.claude' : '.codex'));
    const { code } = await runCommand(['connect', program], {
      cwd: folder,
      env: { GUILDHALL_URL: URL_OF_NOBODY },
    });
    expect(code).toBe(1);
    expect(readdirSync(outside)).toEqual(['.git']);
    expect(snapshot()).toEqual({});
  });
});

describe('Links in a connected repository', () => {
  const refused = async () => {
    const before = snapshot();
    const { code, stderr } = await runCommand(['connect', 'claude'], {
      cwd: folder,
      env: { GUILDHALL_URL: URL_OF_NOBODY },
    });
    expect(code).toBe(1);
    expect(stderr).toContain('Nothing was changed');
    expect(snapshot()).toEqual(before);
  };

  it('refuses a link whose missing target is outside the repository', async () => {
    const outside = new ScratchRepository().folder;
    symlinkSync(join(outside, 'made.md'), join(folder, 'AGENTS.md'));
    const { code } = await runCommand(['connect', 'claude'], {
      cwd: folder,
      env: { GUILDHALL_URL: URL_OF_NOBODY },
    });
    expect(code).toBe(1);
    expect(readdirSync(outside)).toEqual(['.git']);
    expect(existsSync(join(folder, '.mcp.json'))).toBe(false);
  });

  it('refuses a link into the git folder', async () => {
    symlinkSync('.git/config', join(folder, 'AGENTS.md'));
    await refused();
  });

  it.each(['Be kind.\r\n', ''])(
    'follows a link within the repository, and --undo restores the bytes of %j',
    async (text) => {
      write({ 'CLAUDE.md': text });
      symlinkSync('CLAUDE.md', join(folder, 'AGENTS.md'));
      const before = snapshot();
      await connect('claude');
      expect(read('CLAUDE.md')).toMatch(LINE);
      expect(readlinkSync(join(folder, 'AGENTS.md'))).toBe('CLAUDE.md');
      await connect('claude', '--undo');
      expect(snapshot()).toEqual(before);
      await connect('claude');
      rmSync(join(folder, '.git', 'guildhall'), { recursive: true });
      await connect('claude', '--undo');
      expect(snapshot(), 'also without a memory of how it was').toEqual(before);
      expect(readlinkSync(join(folder, 'AGENTS.md'))).toBe('CLAUDE.md');
    },
  );
});

it('guildhall connect keeps Windows line endings', async () => {
  write({
    '.codex/config.toml': '# mine\r\nmodel = "o9"\r\n',
    '.codex/hooks.json': '{\r\n    "hooks": {}\r\n}\r\n',
    'AGENTS.md': 'Be kind.\r\n',
  });
  const before = snapshot();
  await connect('codex');
  for (const path of Object.keys(before)) expect(read(path), path).not.toMatch(/(?<!\r)\n/);
  const once = snapshot();
  await connect('codex');
  expect(snapshot()).toEqual(once);
  rmSync(join(folder, '.git', 'guildhall'), { recursive: true });
  await connect('codex', '--undo');
  expect(read('.codex/config.toml')).toBe('# mine\r\nmodel = "o9"\r\n');
  expect(read('AGENTS.md')).toBe('Be kind.\r\n');
});

describe('guildhall connect', () => {
  it('writes an MCP entry that reads the token from the environment', async () => {
    await connect('claude');
    expect(readJson('.mcp.json')).toEqual({
      mcpServers: {
        guildhall: {
          type: 'http',
          url: `${URL_OF_NOBODY}/mcp`,
          headers: { Authorization: `Bearer \${GUILDHALL_TOKEN}` },
        },
      },
    });
    await connect('codex');
    expect(read('.codex/config.toml')).toBe(
      `[mcp_servers.guildhall]\nurl = "${URL_OF_NOBODY}/mcp"\nbearer_token_env_var = "GUILDHALL_TOKEN"\n`,
    );
  });

  it('makes programs start guildhall from the PATH, and never by an unregistered package name', async () => {
    await connect('claude');
    await connect('codex');
    for (const [path, text] of Object.entries(snapshot()))
      expect(Buffer.from(text, 'base64').toString(), path).not.toMatch(/\bnp[xm]\b/);
    expect(read('.claude/settings.json')).toContain('command -v guildhall ');
    expect(read('.codex/hooks.json')).toContain('command -v guildhall ');
  });

  it('keeps the line in AGENTS.md while one of the programs needs it', async () => {
    write({ 'AGENTS.md': 'Be kind.\n' });
    const before = snapshot();
    await connect('claude');
    await connect('codex');
    expect(read('AGENTS.md').match(new RegExp(LINE, 'g'))).toHaveLength(1);
    await connect('claude', '--undo');
    expect(read('AGENTS.md')).toMatch(LINE);
    await connect('codex', '--undo');
    expect(snapshot()).toEqual(before);
  });

  describe('CLAUDE.md next to AGENTS.md', () => {
    const advised = async (program = 'claude') =>
      /reads CLAUDE\.md here and not AGENTS\.md\. Add the line @AGENTS\.md to CLAUDE\.md\./.test(
        (await connect(program)).stderr,
      );

    it('neither creates nor changes CLAUDE.md, and shows a hint if it does not mention AGENTS.md', async () => {
      write({ 'AGENTS.md': 'Be kind.\n' });
      expect(await advised()).toBe(false);
      expect(existsSync(join(folder, 'CLAUDE.md'))).toBe(false);
      for (const [text, isAdvised] of [
        ['# Rules\n', true],
        ['# Rules\n\n@AGENTS.md\n', false],
        ['See AGENTS.md.\n', false],
        ['', true],
      ] as const) {
        write({ 'CLAUDE.md': text });
        expect(await advised(), text).toBe(isAdvised);
        expect(await advised('codex'), text).toBe(false);
        expect(read('CLAUDE.md')).toBe(text);
        expect(read('AGENTS.md').match(new RegExp(LINE, 'g'))).toHaveLength(1);
      }
      await connect('claude', '--undo');
      expect(read('CLAUDE.md')).toBe('');
    });

    it('shows no hint if CLAUDE.md is a link to AGENTS.md', async () => {
      write({ 'AGENTS.md': 'Be kind.\n' });
      symlinkSync('AGENTS.md', join(folder, 'CLAUDE.md'));
      expect(await advised()).toBe(false);
      expect(read('AGENTS.md').match(new RegExp(LINE, 'g'))).toHaveLength(1);
    });

    /** Connects as an earlier version did, which added the line to CLAUDE.md too. */
    async function connectAsBefore(text: string | null) {
      if (text !== null) write({ 'CLAUDE.md': text });
      await connect('claude');
      const [line] = read('AGENTS.md').split('\n');
      const after = text === null ? `${line}\n` : `${text}\n${line}\n`;
      write({ 'CLAUDE.md': after });
      const ledger = join(folder, '.git', 'guildhall', 'connect.json');
      const known = JSON.parse(readFileSync(ledger, 'utf8')) as object;
      writeFileSync(ledger, JSON.stringify({ ...known, 'CLAUDE.md': { before: text, after } }));
    }

    it.each([null, '# Rules\n'])(
      '--undo restores CLAUDE.md after an earlier version connected the folder: %j',
      async (text) => {
        await connectAsBefore(text);
        await connect('claude');
        expect(read('CLAUDE.md'), 'connecting again leaves it').toMatch(LINE);
        const { stdout } = await connect('claude', '--undo');
        expect(stdout).toContain('CLAUDE.md\t');
        expect(snapshot()).toEqual(
          text === null ? {} : { 'CLAUDE.md': Buffer.from(text).toString('base64') },
        );
        expect(existsSync(join(folder, '.git', 'guildhall'))).toBe(false);
      },
    );

    it("--undo removes an earlier version's line from CLAUDE.md in a clone, and keeps later additions", async () => {
      await connectAsBefore('# Rules\n');
      rmSync(join(folder, '.git', 'guildhall'), { recursive: true });
      write({ 'CLAUDE.md': `${read('CLAUDE.md')}Be brief.\n` });
      await connect('claude', '--undo');
      expect(read('CLAUDE.md')).toBe('# Rules\nBe brief.\n');
    });
  });

  it("writes to the repository's root from any subfolder, and changes no other folder", async () => {
    mkdirSync(join(folder, 'src/deep'), { recursive: true });
    const env = { GUILDHALL_URL: URL_OF_NOBODY };
    expect((await runCommand(['connect', 'claude'], { cwd: join(folder, 'src/deep'), env })).code).toBe(0);
    expect(existsSync(join(folder, '.mcp.json'))).toBe(true);
    expect(readdirSync(join(folder, 'src/deep'))).toEqual([]);
    const status = execFileSync('git', ['status', '--porcelain'], { cwd: folder, encoding: 'utf8' });
    expect(status.split('\n').filter(Boolean)).toEqual(['?? .claude/', '?? .mcp.json', '?? AGENTS.md']);
  });

  it('updates a changed address', async () => {
    await connect('codex');
    const env = { GUILDHALL_URL: 'https://guildhall.example' };
    await runCommand(['connect', 'codex'], { cwd: folder, env });
    expect(read('.codex/config.toml')).toContain('"https://guildhall.example/mcp"');
    expect(read('.codex/config.toml')).not.toContain(URL_OF_NOBODY);
    await connect('codex', '--undo');
    expect(snapshot()).toEqual({});
  });

  it('warns when hooks will not find the program, also if npx does', async () => {
    const bin = join(folder, 'node_modules', '.bin');
    write({ 'node_modules/.bin/guildhall': '', 'bin/guildhall': '' });
    const told = async (path: string) =>
      (
        await runCommand(['connect', 'claude'], {
          cwd: folder,
          env: { HOME: '/nonexistent', GUILDHALL_URL: URL_OF_NOBODY, PATH: path },
        })
      ).stderr;
    expect(await told(`${bin}:/nonexistent`)).toContain('npm install -g');
    expect(await told(`${bin}:${join(folder, 'bin')}`)).not.toContain('npm install -g');
  });

  it('refuses without a repository, an address or a known program', async () => {
    const run = (program: string, cwd: string, env: Record<string, string>) =>
      runCommand(['connect', program], { cwd, env });
    expect((await run('claude', '/', { GUILDHALL_URL: URL_OF_NOBODY })).code).toBe(2);
    expect((await run('claude', folder, { HOME: '/nonexistent' })).code).toBe(4);
    expect((await run('emacs', folder, { GUILDHALL_URL: URL_OF_NOBODY })).code).toBe(2);
  });
});
