import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { ENTRIES, isGroup } from '../../cli/src/groups.js';
import { itUsually as it, itDeeply } from '../support/deep.js';
import { type CliWorld, PROGRAM, runProgram, startCliWorld } from './cli-world.js';

let cli: CliWorld;
let board: { board_id: string; key: string };
beforeAll(async () => {
  cli = await startCliWorld();
  board = await cli.json(['boards', 'create', 'Engineering']);
});
afterAll(() => cli?.stop());

interface Card {
  id: string;
  ref: string;
  title: string;
  status: string;
  column: { name: string };
  priority: string;
  labels: string[];
  instructions: string;
  estimate_points: number;
}

const makeCard = (title: string, more: string[] = []) =>
  cli.json<Card>(['cards', 'create', title, '--board', board.key, ...more]);

/** Keeps creating cards until the watching process exits. */
async function keepMaking(watcher: ChildProcess): Promise<void> {
  while (watcher.exitCode === null && watcher.signalCode === null) {
    await cli.call('POST', `/api/v1/board/boards/${board.board_id}/tasks`, { title: 'Seen' });
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

describe('guildhall cards attach, attachments, download', () => {
  it('uploads a file to a card and downloads it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'guildhall-files-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const [path, copy] = [join(folder, 'notes.txt'), join(folder, 'copy.txt')];
    await writeFile(path, 'Some notes');
    const { ref } = await makeCard('With files');
    const attached = await cli.guildhall(['cards', 'attach', ref, path]);
    expect([attached.code, attached.stdout]).toEqual([0, `Attached notes.txt to ${ref}.\n`]);
    const listed = await cli.json<{ name: string; bytes: number }[]>(['cards', 'attachments', ref]);
    expect(listed).toMatchObject([{ name: 'notes.txt', bytes: 10 }]);
    const download = ['cards', 'download', ref, 'notes.txt', '--out', copy];
    expect((await cli.guildhall(download)).code).toBe(0);
    expect(await readFile(copy, 'utf8')).toBe('Some notes');
    expect((await cli.guildhall(download)).code).toBe(2);
    expect((await cli.guildhall(['cards', 'attach', ref, join(folder, 'missing')])).code).toBe(2);
    expect((await cli.guildhall(['cards', 'download', ref, 'missing'])).code).toBe(2);
  });
});

describe('guildhall --help', () => {
  it('lists every group', async () => {
    const { code, stdout } = await runProgram(['--help'], { env: cli.nobody });
    expect(code).toBe(0);
    for (const { name } of ENTRIES) expect(stdout).toContain(name);
  });

  it('shows an example for every command', async () => {
    const commands = (
      await Promise.all(
        ENTRIES.map(async ({ name, load }) => {
          const loaded = await load();
          const names = isGroup(loaded) ? loaded.commands.map(({ use }) => use.split(' ')[0]!) : [];
          return [[name], ...names.map((each) => [name, each])];
        }),
      )
    ).flat();
    expect(commands.length).toBeGreaterThan(80);
    // Parses in this process, because a process for each command would take a minute on a small machine.
    const { createProgram } = await import('../../cli/src/program.js');
    for (const words of commands) {
      const said: string[] = [];
      const program = await createProgram([...words, '--help'], {}, new AbortController().signal);
      const speakUp = (each: typeof program): void => {
        each.configureOutput({ writeOut: (text) => said.push(text) });
        for (const child of each.commands) speakUp(child);
      };
      speakUp(program);
      await expect(program.parseAsync([...words, '--help'], { from: 'user' })).rejects.toMatchObject({
        exitCode: 0,
      });
      expect(said.join(''), words.join(' ')).toMatch(/Examples?:\n {2}\$ (guildhall|source)/);
    }
  });
});

describe('guildhall boards and cards', () => {
  it('creates, lists, shows, moves, edits and comments on cards', async () => {
    const made = await makeCard('Round invoices', [
      '--instructions',
      'Half up.',
      '--label',
      'billing',
      '--label',
      'money',
    ]);
    expect(made).toMatchObject({ title: 'Round invoices', labels: ['billing', 'money'] });
    const listed = await cli.json<Card[]>(['cards', 'list', '--board', 'engineering']);
    expect(listed.map(({ ref }) => ref)).toContain(made.ref);

    const shown = await cli.guildhall(['cards', 'show', made.ref.toLowerCase()]);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain('Half up.');

    const moved = await cli.json<Card>(['cards', 'move', made.ref, 'In Progress']);
    expect(moved).toMatchObject({ status: 'in_progress', column: { name: 'In Progress' } });

    const edited = await cli.json<Card>([
      'cards',
      'edit',
      made.ref,
      '--priority',
      'high',
      '--set',
      'estimate_points=3',
    ]);
    expect(edited).toMatchObject({ priority: 'high', estimate_points: 3, title: 'Round invoices' });

    const comment = await cli.guildhall(['cards', 'comment', made.ref], { stdin: 'Reproduced on main.' });
    expect(comment.code, comment.stderr).toBe(0);
    const { comments } = await cli.call<{ comments: { body: string }[] }>(
      'GET',
      `/api/v1/board/tasks/${made.id}/comments`,
    );
    expect(comments).toMatchObject([{ body: 'Reproduced on main.' }]);
    const whole = await cli.guildhall(['cards', 'show', made.ref, '--comments']);
    expect(whole.stdout).toContain('Reproduced on main.');
    expect(await cli.json(['cards', 'show', made.ref, '--comments'])).toMatchObject({ comments });
  });

  itDeeply('lists all cards of a board that has several pages', { timeout: 120_000 }, async () => {
    const big = await cli.json<{ board_id: string; key: string }>(['boards', 'create', 'Big']);
    const path = `/api/v1/board/boards/${big.board_id}/tasks`;
    for (let ten = 0; ten < 23; ten += 1)
      await Promise.all(
        Array.from({ length: 10 }, (_, each) => cli.call('POST', path, { title: `Card ${ten}${each}` })),
      );
    expect(await cli.json<Card[]>(['cards', 'list', '--board', big.board_id])).toHaveLength(230);
    expect(await cli.json<Card[]>(['cards', 'list', '--board', big.board_id, '--limit', '3'])).toHaveLength(
      3,
    );
  });

  it('rejects an invalid limit', async () => {
    const limited = ['cards', 'list', '--board', board.key, '--limit'];
    for (const none of ['0', '-1', 'few']) {
      const { code, stderr } = await cli.guildhall([...limited, none]);
      expect(code).toBe(2);
      expect(stderr).toContain('--limit must be a positive whole number');
    }
  });

  it('lists what exists when a board or card is not found', async () => {
    const noBoard = await cli.guildhall(['cards', 'list', '--board', 'NOPE']);
    expect(noBoard).toMatchObject({ code: 2, stdout: '' });
    expect(noBoard.stderr).toContain(board.key);
    expect((await cli.guildhall(['cards', 'show', `${board.key}-9999`])).code).toBe(1);
    expect((await cli.guildhall(['cards', 'show', 'not a card'])).code).toBe(2);
  });

  it("watch prints the board's events", async () => {
    const child = spawn(
      process.execPath,
      [PROGRAM, 'cards', 'watch', '--board', board.key, '--count', '1', '--json', 'action,ref'],
      { env: { PATH: process.env['PATH'], ...cli.somebody } },
    );
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    const ended = once(child, 'close');
    await keepMaking(child);
    expect(await ended).toEqual([0, null]);
    expect(JSON.parse(said)).toMatchObject({ action: 'task.created' });
  });

  it('watch exits with 2 when canceled', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'cards', 'watch', '--board', board.board_id], {
      env: { PATH: process.env['PATH'], ...cli.somebody },
    });
    const ended = once(child, 'close');
    child.stdout.once('data', () => child.kill('SIGINT'));
    await keepMaking(child);
    expect(await ended).toEqual([2, null]);
  });
});

describe('Output formats', () => {
  it('--json with fields prints only these fields in this order', async () => {
    const { stdout } = await cli.guildhall(['boards', 'list', '--json', 'name,key']);
    const [first] = JSON.parse(stdout) as object[];
    expect(Object.keys(first!)).toEqual(['name', 'key']);
  });

  it('lists the valid fields and exits with 2 for an unknown field', async () => {
    const { code, stdout, stderr } = await cli.guildhall(['boards', '--json', 'name,nope']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('"nope"');
    expect(stderr).toContain('board_id, board_type, columns, created_at, key, name');
  });

  it('--yaml prints YAML', async () => {
    const { stdout } = await cli.guildhall(['boards', 'show', board.key, '--yaml']);
    expect(stdout).toContain('name: Engineering\n');
  });

  it('prints tab-separated lines without colors, prompts or headings when piped', async () => {
    const { stdout } = await cli.guildhall(['boards', 'list'], { env: { FORCE_COLOR: '1', TERM: 'xterm' } });
    expect(stdout).not.toContain('\u001b');
    expect(stdout.split('\n')[0]!.split('\t')).toEqual(
      expect.arrayContaining(['Engineering', board.board_id]),
    );
  });

  it("keeps other people's text from moving the cursor or starting a new line", async () => {
    const { ref } = await makeCard('evil \u001b[2J\u001b]0;owned\u0007\ttitle');
    const { stdout } = await cli.guildhall(['cards', 'list', '--board', board.key]);
    const line = stdout.split('\n').find((each) => each.startsWith(ref))!;
    expect(line.split('\t')).toHaveLength(5);
    expect(stdout).not.toContain('\u001b');
  });
});

describe('Exit codes', () => {
  it('returns 1 for an error, with a hint and the request id', async () => {
    const { code, stderr } = await cli.guildhall(['cards', 'show', '00000000-0000-4000-8000-000000000000']);
    expect(code).toBe(1);
    expect(stderr).toContain('Card not found');
    expect(stderr).toMatch(/request id: \S+/);
  });

  it('returns 1 when the server is not reachable', async () => {
    const { code, stderr } = await cli.guildhall(['boards'], {
      env: { GUILDHALL_URL: 'http://127.0.0.1:9' },
    });
    expect(code).toBe(1);
    expect(stderr).toContain('cannot be reached');
  });

  it.each([
    [['bogus']],
    [['cards', 'show']],
    [['cards', 'list', '--nope']],
    [['cards', 'edit', 'X-1']],
    [['boards', 'list', 'more']],
    [['help', 'bogus']],
  ])('returns 2 for %j', async (words) => {
    const { code, stdout, stderr } = await cli.guildhall(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^guildhall: .+\n/);
  });

  it('returns 2 for a mistyped command, and lists the existing commands', async () => {
    const { code, stderr } = await cli.guildhall(['cards', 'lst']);
    expect(code).toBe(2);
    expect(stderr).toContain('Unknown command: guildhall cards lst');
    expect(stderr).toContain('Available commands: list, show, create');
    const { ref } = await makeCard('Has fields');
    const wrong = await cli.guildhall(['cards', 'edit', ref, '--set', 'size=3']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('Unknown field "size"');
  });

  it('returns 4 when not signed in, and when the token was revoked', async () => {
    expect((await runProgram(['boards'], { env: cli.nobody })).code).toBe(4);
    expect((await cli.guildhall(['boards'], { env: { GUILDHALL_TOKEN: 'guild_pat_gone' } })).code).toBe(4);
  });
});

describe('guildhall search', () => {
  it('finds records by words and by ref, and shows the matching text', async () => {
    const { ref } = await makeCard('Gather the kumquats');
    const lines = (await cli.guildhall(['search', 'kumq'])).stdout.trim().split('\n');
    expect(lines).toEqual([`card\t${ref}\tGather the kumquats`]);
    expect((await cli.guildhall(['cards', 'comment', ref, 'They are with the durians'])).code).toBe(0);
    const [hit] = await cli.json<{ ref: string; field: string }[]>(['search', 'with', 'the', 'durians']);
    expect(hit).toMatchObject({ ref, field: 'comment', title: 'Gather the kumquats' });
    expect(await cli.json(['search', ref, '--kind', 'card', '--limit', '1'])).toMatchObject([{ ref }]);
    expect(await cli.json(['search', 'kumquats', '--kind', 'board'])).toEqual([]);
    expect((await cli.guildhall(['search', 'x', '--kind', 'rumour'])).stderr).toContain(
      'must be any of: card',
    );
  });
});

describe('guildhall memory', () => {
  it('adds, searches, recalls, corrects and deletes memories', async () => {
    const agent = ['--agent', 'claude-billing'];
    const made = await cli.json<{ id: string }>([
      'memory',
      'add',
      'Invoices round half up',
      'The tax office asks for it.',
      '--kind',
      'decision',
      ...agent,
    ]);
    for (const verb of ['search', 'recall']) {
      const found = await cli.json<{ id: string }[]>(['memory', verb, 'invoice', 'rounding', ...agent]);
      expect(found.map(({ id }) => id)).toContain(made.id);
    }
    const corrected = await cli.json(['memory', 'correct', made.id, '--body', '-'], {
      stdin: 'Half to even since May.',
    });
    expect(corrected).toMatchObject({ title: 'Invoices round half up', body: 'Half to even since May.' });
    const unsure = await cli.guildhall(['memory', 'forget', made.id]);
    expect(unsure, 'where there is nobody to ask').toMatchObject({ code: 2 });
    expect(unsure.stderr).toContain('--yes');
    expect((await cli.guildhall(['memory', 'forget', made.id, '--yes'])).code).toBe(0);
    expect((await cli.guildhall(['memory', 'show', made.id])).code).toBe(1);
  });

  it('lists memories, reports near duplicates, replaces them and shows their history', async () => {
    const agent = ['--agent', 'claude-lists'];
    const add = (title: string, ...more: string[]) =>
      cli.json<{ id: string; similar: { memory_id: string }[] }>(['memory', 'add', title, ...agent, ...more]);
    const first = await add('Invoices round half up');
    const second = await add('Invoices round half up');
    expect(second.similar).toMatchObject([{ memory_id: first.id, similarity: 1 }]);
    const told = await cli.guildhall(['memory', 'add', 'Invoices round half up', ...agent]);
    expect(told.stderr).toContain(`1.00  Invoices round half up (${first.id})`);
    expect(told.stderr).toContain('--supersedes <id>');
    const replaced = ['--supersedes', first.id, '--supersedes', second.id];
    const made = await add('Invoices round half to even', ...replaced);

    const list = (...more: string[]) =>
      cli.json<{ id: string; title: string }[]>(['memory', 'list', ...agent, ...more]);
    expect((await list()).map(({ title }) => title)).toEqual([
      'Invoices round half to even',
      'Invoices round half up',
    ]);
    expect((await list('--status', 'archived')).map(({ id }) => id).toSorted()).toEqual(
      [first.id, second.id].toSorted(),
    );
    expect((await list('--words', 'even')).map(({ id }) => id)).toEqual([made.id]);
    const part = await cli.guildhall(['memory', 'list', ...agent, '--limit', '1']);
    expect(part.stderr).toContain('1 of 2 shown');

    const history = await cli.json(['memory', 'history', first.id]);
    expect(history).toMatchObject([
      { action: 'archived', changes: { superseded_by: { to: made.id } } },
      { action: 'created' },
    ]);
    const { stdout } = await cli.guildhall(['memory', 'history', first.id]);
    expect(stdout).toContain('status: active → archived');
  });
});

describe('Workspace commands', () => {
  it('shows profiles, features and members', async () => {
    const profiles = await cli.json<{ key: string }[]>(['profiles']);
    expect(profiles.map(({ key }) => key)).toContain('claude.coding');
    expect(await cli.json(['profiles', 'show', 'claude.coding'])).toMatchObject({ coder: 'claude_code' });
    expect(await cli.json<{ key: string; on: boolean }[]>(['features', 'on', 'feed'])).toContainEqual(
      expect.objectContaining({ key: 'feed', on: true }),
    );
    const members = await cli.json<{ email: string }[]>(['members']);
    expect(members.map(({ email }) => email)).toContain(cli.workspace.admin.email);
    expect(await cli.json(['members', 'invite', 'dora@acme.example'])).toMatchObject({
      email: 'dora@acme.example',
    });
  });

  it('manages webhooks', async () => {
    const hook = await cli.json<{ webhook_id: string; secret: string }>([
      'webhooks',
      'create',
      'https://example.com/guildhall',
      '--event',
      'task.created',
      '--event',
      'build.finished',
    ]);
    expect(hook.secret).toMatch(/^whsec_/);
    expect(await cli.json(['webhooks', 'edit', hook.webhook_id, '--off'])).toMatchObject({ enabled: false });
    expect(await cli.json<unknown[]>(['webhooks', 'deliveries', hook.webhook_id])).toEqual([]);
    expect((await cli.guildhall(['webhooks', 'remove', hook.webhook_id, '--yes'])).code).toBe(0);
    expect(await cli.json(['webhooks'])).toEqual([]);
  });
});

describe('guildhall api', () => {
  it('calls any operation', async () => {
    const { stdout } = await cli.guildhall(['api', 'get', '/api/v1/board/boards', '--field', 'per_page=1']);
    expect((JSON.parse(stdout) as { boards: unknown[] }).boards).toHaveLength(1);
    const made = await cli.guildhall([
      'api',
      'POST',
      '/api/v1/board/boards',
      '--field',
      'name=Nightly',
      '--json',
      'name',
    ]);
    expect(JSON.parse(made.stdout)).toEqual({ name: 'Nightly' });
    const piped = await cli.guildhall(['api', 'POST', '/api/v1/board/boards', '--input', '-'], {
      stdin: '{"name": ""}',
    });
    expect(piped.code).toBe(1);
    expect(piped.stderr).toMatch(/name .*\n[\s\S]*request id/);
  });

  it.each(['//elsewhere.example/', 'https://elsewhere.example/', '@elsewhere.example/'])(
    'sends nothing to %s',
    async (path) => {
      expect((await cli.guildhall(['api', 'GET', path])).code).toBe(2);
    },
  );
});

describe('guildhall admin', () => {
  it("reads the operator's key only from the environment", async () => {
    const refused = await cli.guildhall(['admin', 'workspaces']);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('GUILDHALL_ADMIN_KEY');
    const env = { ...cli.nobody, GUILDHALL_URL: cli.url, GUILDHALL_ADMIN_KEY: 'test-admin-key' };
    const { stdout } = await runProgram(['admin', 'workspaces', '--json', 'name'], { env });
    expect(JSON.parse(stdout)).toContainEqual({ name: 'Acme Robotics' });
  });

  it('issues a token into a file without printing it', async () => {
    const env = { ...cli.nobody, GUILDHALL_URL: cli.url, GUILDHALL_ADMIN_KEY: 'test-admin-key' };
    const file = `${cli.home}/issued.txt`;
    const { brand, admin } = cli.workspace;
    const words = [
      'admin',
      'issue-token',
      String(brand.brand_id),
      String(admin.user_id),
      '--to',
      file,
      '--json',
    ];
    const { code, stdout, stderr } = await runProgram(words, { env });
    expect(code, stderr).toBe(0);
    const { readFile, stat } = await import('node:fs/promises');
    const token = (await readFile(file, 'utf8')).trim();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(stdout).not.toContain(token);
    expect((await cli.guildhall(['whoami'], { env: { GUILDHALL_TOKEN: token } })).code).toBe(0);

    const nowhere = words.with(2, '999999').with(5, `${file}.2`);
    expect((await runProgram(nowhere, { env })).code).toBe(1);
    await expect(stat(`${file}.2`), 'no file without a token').rejects.toThrow('ENOENT');
  });
});

describe('guildhall completion', () => {
  it.each(['bash', 'zsh', 'fish'])('prints completions for %s', async (shell) => {
    const { code, stdout } = await runProgram(['completion', shell], { env: cli.nobody });
    expect(code).toBe(0);
    for (const word of ['lessons', 'near', 'builds', 'review']) expect(stdout).toContain(word);
  });

  it('completes groups, commands and flags in bash', async () => {
    const { runWithin } = await import('../support/agent-programs.js');
    const complete = async (words: string[]) => {
      const script = `source <('${process.execPath}' '${PROGRAM}' completion bash)
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _guildhall; echo "\${COMPREPLY[@]}"`;
      return (await runWithin(10_000, ['bash', '-c', script], { cwd: '/', env: cli.nobody })).output
        .trim()
        .split(' ');
    };
    expect(await complete(['guildhall', 'les'])).toEqual(['lessons']);
    expect(await complete(['guildhall', 'cards', 'c'])).toEqual(['create', 'comment']);
    expect(await complete(['guildhall', 'builds', 'log', '--fo'])).toEqual(['--follow']);
  });
});
