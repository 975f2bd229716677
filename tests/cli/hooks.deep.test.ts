import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld } from '../support/code-world.js';
import { ScratchRepository } from '../support/scratch-repository.js';
import { type CliWorld, PROGRAM, runProgram, startCliWorld } from './cli-world.js';

const lesson = (body: string) =>
  `---\ntype: gotcha\nanchors:\n  - src/money.ts\n---\n# Rounding\n\n${body}\n`;

let code: CodeWorld;
let cli: CliWorld;
let folder: string;
let env: Record<string, string>;
let projectId: string;

beforeAll(async () => {
  code = await CodeWorld.start();
  const project = await code.project({
    'src/money.ts': 'export const round = (n: number) => n;\n',
    'src/other.ts': 'export const other = 1;\n',
    'lessons/billing/rounding.md': lesson('Round half up.'),
  });
  projectId = project.id;
  cli = await startCliWorld(code.world);
  env = {
    ...cli.nobody,
    GUILDHALL_URL: cli.url,
    GUILDHALL_TOKEN: code.workspace.token,
    // However busy the machine is.
    GUILDHALL_HOOK_SECONDS: '60',
  };
  folder = new ScratchRepository().folder;
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/money.ts'), '');
  writeFileSync(
    join(folder, 'guildhall.json'),
    JSON.stringify({ project_id: project.id, agent_id: 'claude-billing' }),
  );
});
afterAll(() => cli?.stop());

interface Answer {
  hookSpecificOutput: { hookEventName: string; additionalContext: string };
}

const hook = (
  event: string,
  said: object,
  more: { env?: Record<string, string>; program?: string; cwd?: string } = {},
) =>
  runProgram(['hook', event, '--program', more.program ?? 'claude'], {
    cwd: more.cwd ?? folder,
    env: { ...env, ...more.env },
    stdin: JSON.stringify({ cwd: more.cwd ?? folder, ...said }),
  });

/** As hooks are where nobody says otherwise. */
const IMPATIENT = { GUILDHALL_HOOK_SECONDS: '' };

const remember = (agent_id: string, title: string, body: string) =>
  code.call('POST', '/api/v1/memory/memories', { agent_id, kind: 'decision', title, body });

describe('at session start', () => {
  it('recalls what the agent of guildhall.json remembers', async () => {
    await remember('claude-billing', 'Invoices round half up', 'The tax office asks for it.');
    const { code: ended, stdout } = await hook('session-start', { session_id: 's1' });
    expect(ended).toBe(0);
    const { hookEventName, additionalContext } = (JSON.parse(stdout) as Answer).hookSpecificOutput;
    expect(hookEventName).toBe('SessionStart');
    expect(additionalContext).toContain('Invoices round half up: The tax office asks for it.');
  });

  it('without guildhall.json is the agent <program>-<folder name>', async () => {
    const at = new ScratchRepository().folder;
    await remember(`codex-${basename(at)}`, 'Named by its folder', 'Yes.');
    const { stdout } = await hook('SessionStart', {}, { cwd: at, program: 'codex' });
    expect(stdout).toContain('Named by its folder');
    const other = await hook('SessionStart', {}, { cwd: at, program: 'claude' });
    expect(other.stdout).not.toContain('Named by its folder');
  });

  it('tells agent_id and project_id, also to an agent that remembers nothing', async () => {
    const at = new ScratchRepository().folder;
    writeFileSync(join(at, 'guildhall.json'), JSON.stringify({ project_id: projectId }));
    const { stdout } = await hook('session-start', {}, { cwd: at });
    const { additionalContext } = (JSON.parse(stdout) as Answer).hookSpecificOutput;
    expect(additionalContext).toContain(`agent_id \`claude-${basename(at)}\``);
    expect(additionalContext).toContain(`project_id \`${projectId}\``);
  });

  it('tells decisions and preferences first, then patterns, learnings and facts', async () => {
    const at = new ScratchRepository().write({ 'src/billing.ts': '' }).folder;
    writeFileSync(join(at, 'guildhall.json'), '{"agent_id": "orderly"}');
    const keep = (kind: string, title: string, body = 'Because.') =>
      code.call('POST', '/api/v1/memory/memories', {
        agent_id: 'orderly',
        kind,
        title,
        body,
        importance: kind === 'fact' ? 'critical' : 'normal',
      });
    for (const kind of ['fact', 'learning', 'pattern', 'preference', 'decision'])
      await keep(kind, `A ${kind}`);
    for (let each = 0; each < 60; each += 1) await keep('fact', `Fact ${each}`);
    await keep('decision', 'Round in src/billing.ts', 'Half up.');
    await keep('decision', 'The newest', 'Decision: the newest.');
    const { stdout } = await hook('session-start', {}, { cwd: at });
    const { additionalContext } = (JSON.parse(stdout) as Answer).hookSpecificOutput;
    const lines = additionalContext.split('\n').filter((line) => line.startsWith('- ['));
    expect(lines.slice(0, 6)).toEqual([
      '- [decision] Round in src/billing.ts: Half up.',
      '- [decision] The newest',
      '- [decision] A decision: Because.',
      '- [preference] A preference: Because.',
      '- [pattern] A pattern: Because.',
      '- [learning] A learning: Because.',
    ]);
    expect(lines[6]).toContain('[fact]');
  });

  it('adds at most 9,000 characters', async () => {
    const at = new ScratchRepository().folder;
    writeFileSync(join(at, 'guildhall.json'), '{"agent_id": "talker"}');
    for (let each = 0; each < 30; each += 1)
      await remember('talker', `Fact ${each}`, `${each} ${'ö🙂'.repeat(900)}`);
    const { stdout } = await hook('session-start', {}, { cwd: at });
    const { additionalContext } = (JSON.parse(stdout) as Answer).hookSpecificOutput;
    expect(additionalContext.length).toBeGreaterThan(4_000);
    expect(stdout.length, 'with the marks of JSON').toBeLessThanOrEqual(9_000);
    expect(additionalContext.isWellFormed()).toBe(true);
  });

  it('keeps as much as there is room for of a text that is all marks, and none that a terminal obeys', async () => {
    const at = new ScratchRepository().folder;
    writeFileSync(join(at, 'guildhall.json'), '{"agent_id": "marker"}');
    for (let each = 0; each < 40; each += 1)
      await remember('marker', `"\\"\\"\\"\\ \u001b[2J ${each}`, `${each} ${'\\"'.repeat(400)}`);
    const { stdout } = await hook('session-start', {}, { cwd: at });
    const { additionalContext } = (JSON.parse(stdout) as Answer).hookSpecificOutput;
    expect(stdout.length).toBeGreaterThan(7_000);
    expect(stdout.length).toBeLessThanOrEqual(9_000);
    expect(additionalContext).not.toContain('\u001b');
  });
});

describe('after a tool edited files', () => {
  const edited = (file_path: string, session_id?: string) =>
    hook('tool-used', { session_id, tool_name: 'Edit', tool_input: { file_path } });

  it('tells the lessons near them, once a session', async () => {
    const { code: ended, stdout } = await edited(join(folder, 'src/money.ts'), 'a');
    expect(ended).toBe(0);
    const { hookEventName, additionalContext } = (JSON.parse(stdout) as Answer).hookSpecificOutput;
    expect(hookEventName).toBe('PostToolUse');
    expect(additionalContext).toContain('Round half up.');
    expect((await edited('src/money.ts', 'a')).stdout, 'again').toBe('');
    const elsewhere = await edited('src/money.ts', 'b');
    expect(elsewhere.stdout, 'in another session').toContain('Round half up.');
    await hook('session-start', { session_id: 'a', source: 'compact' });
    const anew = await edited('src/money.ts', 'a');
    expect(anew.stdout, 'in a context that began anew').toContain('Round half up.');
  });

  it('reads the files of a patch', async () => {
    const command = '*** Begin Patch\n*** Update File: src/money.ts\n@@\n-a\n+b\n*** End Patch';
    const said = { tool_name: 'apply_patch', tool_input: { command } };
    const { stdout } = await hook('PostToolUse', said, { program: 'codex' });
    expect(stdout).toContain('Round half up.');
  });

  it.each([['src/none.ts'], ['/etc/passwd'], [''], ['../../elsewhere.ts']])(
    'says nothing of %j',
    async (path) => {
      expect(await edited(path)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    },
  );
});

describe('at the end', () => {
  const conversations = async () =>
    (
      await code.call<{ conversations: { external_id: string; agent_id: string }[] }>(
        'GET',
        '/api/v1/memory/conversations',
      )
    ).body.conversations;
  /** What does not get there while the program waits goes on by itself. */
  const arrived = () =>
    expect.poll(async () => (await conversations()).map(({ external_id }) => external_id), {
      timeout: 120_000,
    });
  const transcript = join(tmpdir(), `guildhall-transcript-${process.pid}.jsonl`);

  it('pushes the conversation of Claude Code, and what is new when it goes on', async () => {
    const line = (type: string, content: unknown, more: object = {}) =>
      `${JSON.stringify({ type, message: { role: type, content }, timestamp: '2026-07-01T10:00:00.000Z', ...more })}\n`;
    writeFileSync(
      transcript,
      line('user', 'We always deploy on Tuesdays.') +
        line('assistant', [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'Noted: Tuesdays.' },
        ]) +
        line('user', 'notice', { isMeta: true }) +
        'not json\n',
    );
    const said = { session_id: 'session-1', transcript_path: transcript };
    expect(await hook('session-end', said)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    await arrived().toEqual(['session-1']);
    expect(await conversations()).toMatchObject([{ agent_id: 'claude-billing' }]);
    writeFileSync(transcript, readFileSync(transcript, 'utf8') + line('user', 'And never on Fridays.'));
    expect((await hook('SessionEnd', said)).code).toBe(0);
    expect(await conversations()).toHaveLength(1);
  });

  it('pushes the conversation of Codex after every turn', async () => {
    const line = (role: string, text: string) =>
      `${JSON.stringify({ timestamp: '2026-07-01T10:00:00.000Z', type: 'response_item', payload: { type: 'message', role, content: [{ type: 'input_text', text }] } })}\n`;
    writeFileSync(
      transcript,
      line('user', '<environment_context>no</environment_context>') + line('user', 'We use tabs.'),
    );
    await hook('Stop', { session_id: 'turns', transcript_path: transcript }, { program: 'codex' });
    await arrived().toContain('turns');
    expect(await conversations()).toContainEqual(
      expect.objectContaining({ external_id: 'turns', source_type: 'codex' }),
    );
  });

  it('pushes as much of a long conversation as the service takes', async () => {
    const said = `${JSON.stringify({ type: 'user', message: { content: '漢字'.repeat(9000) } })}\n`;
    writeFileSync(transcript, said.repeat(60));
    await hook('session-end', { session_id: 'long', transcript_path: transcript });
    await arrived().toContain('long');
  });

  it('goes on by itself with a push that takes longer than the program waits', async () => {
    const taken: string[] = [];
    const waiting: (() => void)[] = [];
    let isProgramWaiting = true;
    const slow = createHttpServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const answer = () => {
          if (response.destroyed) return;
          if (chunks.length > 0) taken.push(JSON.parse(Buffer.concat(chunks).toString()).external_id);
          response.end('{}');
        };
        if (isProgramWaiting && request.method !== 'GET') waiting.push(answer);
        else answer();
      });
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(slow.address() as { port: number }).port}`;
    writeFileSync(transcript, '{"type":"user","message":{"content":"Remember the milk."}}\n');
    const said = { session_id: 'slow', transcript_path: transcript };
    const ran = await hook('session-end', said, { env: { GUILDHALL_URL: url, ...IMPATIENT } });
    expect(ran).toMatchObject({ code: 0, stdout: '', stderr: '' });
    // By then its line is known to be cut: what is taken now comes from the push that goes on.
    await fetch(url);
    isProgramWaiting = false;
    for (const answer of waiting) answer();
    await expect.poll(() => taken).toEqual(['slow']);
    slow.close();
  });

  it('loses no conversation on a machine too busy to tell it in time', async () => {
    writeFileSync(transcript, '{"type":"user","message":{"content":"Remember the bread."}}\n');
    const ended = promisify(execFile)(process.execPath, [PROGRAM, 'hook', 'session-end'], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', ...env, ...IMPATIENT, GUILDHALL_HOOK_SECONDS: '0.001' },
    });
    // What it has after its own time is over.
    setTimeout(
      () =>
        ended.child.stdin?.end(
          JSON.stringify({ session_id: 'busy', transcript_path: transcript, cwd: folder }),
        ),
      1500,
    );
    await ended;
    await arrived().toContain('busy');
  });

  it.each([
    [{}],
    [{ session_id: 'x', transcript_path: '/nonexistent' }],
    [{ session_id: 'x', transcript_path: '/' }],
  ])('says nothing of %j', async (said) => {
    expect(await hook('session-end', said)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });
});

describe('whatever the server does', () => {
  let mute: Server;
  let port: number;
  beforeAll(async () => {
    // Takes every connection and answers none.
    mute = createServer(() => {});
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    port = (mute.address() as { port: number }).port;
  });
  afterAll(() => void mute.close());

  const events = ['session-start', 'tool-used', 'session-end'];
  const transcript = join(tmpdir(), `guildhall-said-${process.pid}.jsonl`);
  writeFileSync(transcript, '{"type":"user","message":{"content":"Remember the milk."}}\n');
  const said = { session_id: 'z', transcript_path: transcript, tool_input: { file_path: 'src/money.ts' } };

  it.each(events)('%s ends with 0 and says nothing when it does not answer', async (event) => {
    const env = { GUILDHALL_URL: `http://127.0.0.1:${port}`, ...IMPATIENT };
    const ran = await hook(event, said, { env });
    expect(ran).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it.each(['-1', 'soon', '0'])(
    'and does not wait for ever when it is told to wait %j seconds',
    async (told) => {
      const env = { GUILDHALL_URL: `http://127.0.0.1:${port}`, GUILDHALL_HOOK_SECONDS: told };
      expect(await hook('session-start', said, { env })).toMatchObject({ code: 0, stdout: '', stderr: '' });
    },
  );

  it.each(events)(
    '%s ends with 0 and says nothing when it is away, refuses, or nobody is signed in',
    async (event) => {
      const worlds: Record<string, string>[] = [
        { GUILDHALL_URL: 'http://127.0.0.1:9' },
        { GUILDHALL_TOKEN: 'guild_pat_gone' },
        { GUILDHALL_URL: '', GUILDHALL_TOKEN: '' },
      ];
      for (const more of worlds)
        expect(await hook(event, said, { env: more })).toMatchObject({ code: 0, stdout: '', stderr: '' });
    },
  );

  it('nor does it matter where it speaks to, or that there is no home to keep anything in', async () => {
    await remember('claude-billing', 'Homeless', 'And yet it is remembered.');
    const shell = `echo '{}' | "${process.execPath}" "${PROGRAM}" hook session-start > /dev/full; echo $?`;
    const spoken = await promisify(execFile)('/bin/sh', ['-c', shell], { cwd: folder, env });
    expect(spoken).toEqual({ stdout: '0\n', stderr: '' });
    const homeless = { ...env, HOME: '/dev/null', XDG_STATE_HOME: '/dev/null' };
    const { code: ended, stdout } = await runProgram(['hook', 'session-start'], {
      cwd: folder,
      env: homeless,
      stdin: '{"session_id": "h"}',
    });
    expect(ended).toBe(0);
    expect(stdout).toContain('And yet it is remembered.');
  });

  it('nor does it matter what it is told, or that it is told nothing', async () => {
    for (const stdin of ['', 'not json', '[]', 'null', '{"tool_input": 7, "cwd": 7}'])
      expect(await runProgram(['hook', 'tool-used'], { cwd: folder, env, stdin })).toMatchObject({
        code: 0,
        stdout: '',
      });
    expect(await runProgram(['hook', 'bogus'], { cwd: folder, env, stdin: '{}' })).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect(await runProgram(['hook', 'session-start'], { cwd: '/', env, stdin: '{}' })).toMatchObject({
      code: 0,
      stdout: '',
    });
  });
});

describe('the commands that connect writes', () => {
  it('run as the program runs them, and do no harm where guildhall is not installed', async () => {
    const at = new ScratchRepository().folder;
    await runProgram(['connect', 'claude'], { cwd: at, env });
    await remember(`claude-${basename(at)}`, 'Wired', 'It works.');
    const { hooks } = JSON.parse(readFileSync(join(at, '.claude/settings.json'), 'utf8')) as {
      hooks: Record<string, { hooks: { command: string }[] }[]>;
    };
    const { command } = hooks['SessionStart']![0]!.hooks[0]!;
    const bin = join(cli.home, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'guildhall'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, {
      mode: 0o755,
    });
    const run = (path: string) =>
      promisify(execFile)('/bin/sh', ['-c', `echo '{}' | { ${command}; }`], {
        cwd: at,
        env: { ...env, PATH: path },
      });
    expect((await run(`${bin}:/usr/bin:/bin`)).stdout).toContain('Wired');
    expect(await run('/usr/bin:/bin')).toMatchObject({ stdout: '', stderr: '' });
  });
});
