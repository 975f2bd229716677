import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findMeans, offerCoders, withoutLoggedOut } from './coders/coders.js';
import { forgetRefusedLogin, noteRefusedLogin, readRefused } from './coders/logins.js';
import { createVersions } from './coders/versions.js';
import { readCredentials } from './credentials.js';
import { deskFiles } from './desk-files.js';
import { installMissingRuntime, pickSentence } from './runtime.js';

let folder: string;

const stubNpm = (script: string) => {
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'npm'), 0o755);
};
const files = () => deskFiles(join(folder, 'root'));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'guildhall-runtime-'));
  stubNpm(`echo "$*" > '${folder}/called'`);
  vi.stubEnv('PATH', `${folder}:/bin`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('keeps all npm files below the prefix that uninstall removes', async () => {
  const { runtimePrefix, installFailure } = files();
  expect(await installMissingRuntime('codex', files())).toBe(true);
  const called = readFileSync(join(folder, 'called'), 'utf8');
  expect(called).toContain(`--prefix ${runtimePrefix} `);
  expect(called).toContain(`--cache ${runtimePrefix}/`);
  expect(installFailure.startsWith(`${runtimePrefix}/`)).toBe(true);
});

it('installs nothing for a custom runtime', async () => {
  expect(await installMissingRuntime('custom', files())).toBe(true);
  expect(existsSync(join(folder, 'called'))).toBe(false);
});

describe('Missing coder', () => {
  const offer = (runtime: string, lacking?: string) => offerCoders(files(), { runtime }, lacking);

  it("reports npm's error until the coder is installed", async () => {
    expect(offer('claude_code')).toEqual({
      coders: [],
      missing: [{ coder: 'claude', reason: 'it is not installed yet' }],
    });
    stubNpm(
      'echo "npm error code ENOTFOUND" >&2; echo "npm error network no way to the registry" >&2; exit 1',
    );
    expect(await installMissingRuntime('claude_code', files())).toBe(false);
    expect(offer('claude_code').missing).toEqual([
      { coder: 'claude', reason: 'npm said: no way to the registry' },
    ]);
    stubNpm(`mkdir -p "$4/bin"; printf x > "$4/bin/claude"; chmod +x "$4/bin/claude"`);
    expect(await installMissingRuntime('claude_code', files())).toBe(true);
    expect(offer('claude_code')).toEqual({ coders: ['claude'], missing: [] });
    expect(existsSync(files().installFailure)).toBe(false);
  });

  it('reports a reason when npm is missing or prints nothing', async () => {
    stubNpm('exit 7');
    await installMissingRuntime('codex', files());
    expect(offer('codex').missing[0]?.reason).toBe('npm said: nothing, and ended with exit code 7');
    rmSync(join(folder, 'npm'));
    vi.stubEnv('PATH', folder);
    await installMissingRuntime('codex', files());
    expect(offer('codex').missing[0]?.reason).toBe('npm could not be started: ENOENT');
  });

  it('names the wrapper of a custom desk, and offers no coder without git', () => {
    const { coder } = files();
    const of = (reason: string) =>
      ['claude', 'codex', 'openhands', 'opencode', 'pi'].map((name) => ({ coder: name, reason }));
    expect(offer('custom').missing).toEqual(of(`${coder} does not exist or is not executable`));
    expect(offer('custom', 'git')).toEqual({ coders: [], missing: of('git is missing on the machine') });
  });
});

describe('Coders of a custom desk', () => {
  const OTHERS = ['openhands', 'opencode', 'pi'];
  const offer = (more: { wrapper_only?: true } = {}) => offerCoders(files(), { runtime: 'custom', ...more });
  const put = (path: string, text = '#!/bin/sh\n') => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  };

  beforeEach(() => put(files().coder));

  it('offers all coders without a list and only the listed ones with it', () => {
    expect(offer()).toEqual({
      coders: ['claude', 'codex', ...OTHERS],
      wrapped: ['claude', 'codex', ...OTHERS],
      missing: [],
    });
    put(files().wrappedCoders, 'codex\n pi \n\nmy-own\n');
    const reason = `${files().wrappedCoders} does not list it`;
    expect(offer()).toEqual({
      coders: ['codex', 'pi', 'my-own'],
      wrapped: ['codex', 'pi', 'my-own'],
      missing: ['claude', 'openhands', 'opencode'].map((coder) => ({ coder, reason })),
    });
  });

  it("runs a coder's own program when it is installed, listed or not", () => {
    put(join(folder, 'codex'));
    const rest = ['claude', ...OTHERS];
    expect(offer()).toMatchObject({ coders: ['claude', 'codex', ...OTHERS], wrapped: rest });
    put(files().wrappedCoders, 'codex\nclaude\n');
    expect(offer()).toMatchObject({ coders: ['claude', 'codex'], wrapped: ['claude'] });
    const means = (coder: string) => findMeans(files(), { runtime: 'custom' }, coder);
    expect(means('codex')).toMatchObject({ executable: join(folder, 'codex'), login: 'codex' });
    expect(means('claude')).toMatchObject({ executable: files().coder, login: undefined });
    expect(means('pi')).toBeUndefined();
    expect(offer({ wrapper_only: true })).toMatchObject({ wrapped: ['claude', 'codex'] });
  });
});

describe('a coder of a file', () => {
  const put = (name: string, content: object | string) => {
    mkdirSync(files().furtherCoders, { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(files().furtherCoders, name), text);
  };
  const offer = () => offerCoders(files(), { runtime: 'claude_code' });

  it('is offered on every desk, with its command and its environment', () => {
    const program = join(folder, 'gemini');
    put('gemini-cli.json', { command: ['gemini', '--acp'], env: { KEY: 'k', PATH: '/x' }, protocol: 'acp' });
    expect(offer().missing.at(-1)).toEqual({
      coder: 'gemini-cli',
      reason: 'gemini does not exist or is not executable',
    });
    writeFileSync(program, '');
    chmodSync(program, 0o755);
    expect(offer().coders).toEqual(['gemini-cli']);
    const means = findMeans(files(), { runtime: 'claude_code' }, 'gemini-cli');
    expect(means).toMatchObject({ executable: program, environment: { KEY: 'k' }, login: undefined });
    expect(means?.environment).not.toHaveProperty('PATH');
    expect(offerCoders(files(), { runtime: 'custom', wrapper_only: true }).coders).toEqual([]);
  });

  it.each([
    [
      'claude.json',
      {},
      'claude.json needs a different name: 1 to 40 characters of a-z, 0-9 and -, and not the name of a built-in coder',
    ],
    ['x.json', '{', 'coders.d/x.json is not a JSON object'],
    ['x.json', { command: ['x'] }, 'coders.d/x.json needs "protocol": "acp"'],
    ['x.json', { protocol: 'acp' }, 'coders.d/x.json needs a "command" list of 1 to 100 words'],
    ['x.json', { protocol: 'acp', command: [1] }, 'coders.d/x.json needs non-empty strings in "command"'],
    [
      'x.json',
      { protocol: 'acp', command: ['x'], env: { A: 1 } },
      'coders.d/x.json needs an "env" object with string values',
    ],
  ])('is missing with a reason when %s holds %j', (name, content, reason) => {
    put(name, content);
    expect(offer().missing).toContainEqual({ coder: name === 'x.json' ? 'x' : name, reason });
  });
});

describe('the version of a program', () => {
  const program = (version: string) => {
    const path = join(folder, 'agent');
    writeFileSync(path, `#!/bin/sh\n[ "$1 $2" = "acp --version" ] && echo "Agent ${version} (stable)"\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const spoken = async (command: string[], limitMs?: number) => {
    const versions = createVersions(process.env['PATH']!, limitMs);
    versions.of(command);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return versions.of(command);
  };

  it('is asked for once, and again when its file changes', async () => {
    chmodSync(folder, 0o755);
    const path = program('1.2.3');
    const versions = createVersions(process.env['PATH']!);
    const read = () => versions.of([path, 'acp', '--port', '1']);
    expect(read()).toBeNull();
    await vi.waitUntil(() => read() === '1.2.3', { timeout: 20_000 });
    program('1.2.4-beta.1');
    utimesSync(path, new Date(), new Date(Date.now() + 5_000));
    await vi.waitUntil(() => read() === '1.2.4-beta.1', { timeout: 20_000 });
  });

  it('is unknown where the program says none or does not end', async () => {
    chmodSync(folder, 0o755);
    const path = program('none');
    expect(await spoken([path, 'acp'])).toBeNull();
    writeFileSync(path, '#!/bin/sh\nsleep 60\n');
    expect(await spoken([path], 200)).toBeNull();
  });
});

describe('a program without a login', () => {
  const NOW = new Date('2026-03-01T12:00:00Z');
  const offer = (runtime: string) => {
    const desk = { runtime, home: join(folder, 'home') };
    return withoutLoggedOut(offerCoders(files(), desk), files(), desk, NOW);
  };
  const login = (content: object) => {
    mkdirSync(join(folder, 'home/.claude'), { recursive: true });
    writeFileSync(join(folder, 'home/.claude/.credentials.json'), JSON.stringify({ claudeAiOauth: content }));
  };

  beforeEach(() => {
    writeFileSync(join(folder, 'claude'), '');
    chmodSync(join(folder, 'claude'), 0o755);
  });

  it('is missing without a login and with an expired one', () => {
    const missing = (reason: string) => ({ coders: [], missing: [{ coder: 'claude', reason }] });
    expect(offer('claude_code')).toEqual(missing('no one is signed in on this desk'));
    login({ expiresAt: NOW.getTime() - 1 });
    expect(offer('claude_code')).toEqual(missing('its login on this desk has expired'));
    login({ refreshToken: 'r' });
    expect(offer('claude_code')).toEqual({ coders: ['claude'], missing: [] });
  });

  it('shows a refused login as expired until it changes or works again, and still offers the coder', () => {
    login({ refreshToken: 'r' });
    const path = join(folder, 'home/.claude/.credentials.json');
    noteRefusedLogin(files(), 'claude_code', readFileSync(path, 'utf8'));
    const state = () => readCredentials(join(folder, 'home'), NOW, readRefused(files()))[0]?.state;
    expect([offer('claude_code').coders, state()]).toEqual([['claude'], 'expired']);
    login({ refreshToken: 'another' });
    expect(state()).toBe('ok');
    login({ refreshToken: 'r' });
    expect(state()).toBe('expired');
    forgetRefusedLogin(files(), 'claude_code');
    expect(state()).toBe('ok');
  });

  it('needs no login with a key of the desk’s owner or of the machine', () => {
    mkdirSync(dirname(files().coderEnvironment), { recursive: true });
    writeFileSync(files().coderEnvironment, 'ANTHROPIC_API_KEY=k\n');
    expect(offer('claude_code').coders).toEqual(['claude']);
    rmSync(files().coderEnvironment);
    expect(offer('claude_code').coders).toEqual([]);
    vi.stubEnv('CLAUDE_CODE_OAUTH_TOKEN', 't');
    expect(offer('claude_code').coders).toEqual(['claude']);
  });

  it('is not replaced by the wrapper of a custom desk', () => {
    mkdirSync(dirname(files().coder), { recursive: true });
    writeFileSync(files().coder, '');
    chmodSync(files().coder, 0o755);
    expect(offer('custom')).toMatchObject({
      coders: ['codex', 'openhands', 'opencode', 'pi'],
      wrapped: ['codex', 'openhands', 'opencode', 'pi'],
      missing: [{ coder: 'claude', reason: 'no one is signed in on this desk' }],
    });
  });
});

describe('Reason from the output of npm', () => {
  const NETWORK = `npm error code ENOTFOUND
npm error syscall getaddrinfo
npm error errno ENOTFOUND
npm error network request to https://registry.npmjs.org/x failed, reason: getaddrinfo ENOTFOUND registry.npmjs.org
npm error network This is a problem related to network connectivity.
npm error A complete log of this run can be found in: /home/coder/.npm/_logs/x.log
`;

  it.each([
    [
      NETWORK,
      'request to https://registry.npmjs.org/x failed, reason: getaddrinfo ENOTFOUND registry.npmjs.org',
    ],
    [
      'npm ERR! code E404\nnpm ERR! 404 Not Found - GET https://r/x\nnpm ERR! 404 \n',
      'Not Found - GET https://r/x',
    ],
    [
      "npm error code EACCES\nnpm error path /opt\nnpm error Error: EACCES: permission denied, mkdir '/opt/x'\n",
      "Error: EACCES: permission denied, mkdir '/opt/x'",
    ],
    ['npm warn old\nfirst\nsh: node: not found\n\n', 'sh: node: not found'],
    ['', ''],
  ])('picks the line with the error', (output, said) => {
    expect(pickSentence(output)).toBe(said);
  });

  it('is one short line', () => {
    expect(pickSentence(`npm error ${'long '.repeat(100)}`)).toMatch(/^.{199}…$/);
    expect(pickSentence('npm error red \u001b[31mtext\u0007\r\n')).toBe('red  [31mtext');
  });

  it.each([
    'npm error 401 Unauthorized - GET https://joe:hunter2secret@registry.example/x',
    'npm error //registry.example/:_authToken=hunter2secret is no good',
    'npm error the header was Authorization: Bearer hunter2secret',
    'npm error GET https://registry.example/x?token=hunter2secret&y=1',
    'npm error npm_hunter2secretabcdefgh was refused',
    'npm error the word hunter2secret was refused',
  ])('contains no secret: %s', (output) => {
    vi.stubEnv('NPM_TOKEN', 'hunter2secret');
    expect(pickSentence(output)).not.toMatch(/hunter2/);
    expect(pickSentence(output).length).toBeGreaterThan(10);
  });
});
