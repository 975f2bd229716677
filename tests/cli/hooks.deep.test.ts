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
    // Long enough for a busy machine.
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

/** The default time limit of hooks. */
const IMPATIENT = { GUILDHALL_HOOK_SECONDS: '' };

const remember = (agent_id: string, title: string, body: string) =>
  code.call('POST', '/api/v1/memory/memories', { agent_id, kind: 'decision', title, body });

describe('guildhall hook session-start', () => {
  it('recalls memories of the agent in guildhall.json', async () => {
    await remember('claude-billing', 'Invoices round half up', 'The tax office asks for it.');
    const { code: ended, stdout } = await hook('session-start', { session_id: 's1' });
    expect(ended).toBe(0);
    const { hookEventName, additionalContext } = (JSON.parse(stdout) as Answer).hookSpecificOutput;
    expect(hookEventName).toBe('SessionStart');
    expect(additionalContext).toContain('Invoices round half up: The tax office asks for it.');
  });

  it('uses the agent <program>-<folder name> without guildhall.json', async () => {
    const at = new ScratchRepository().folder;
    await remember(`codex-${basename(at)}`, 'Named by its folder', 'Yes.');
    const { stdout } = await hook('SessionStart', {}, { cwd: at, program: 'codex' });
    expect(stdout).toContain('Named by its folder');
    const other = await hook('SessionStart', {}, { cwd: at, program: 'claude' });
    expect(other.stdout).not.toContain('Named by its folder');
  });

  it('returns agent_id and project_id, even without memories', async () => {
    const at = new ScratchRepository().folder;
    writeFileSync(join(at, 'guildhall.json'), JSON.stringify({ project_id: projectId }));
    const { stdout } = await hook('session-start', {}, { cwd: at });
    const { additionalContext } = (JSON.parse(stdout) as Answer).hookSpecificOutput;
    expect(additionalContext).toContain(`agent_id \`claude-${basename(at)}\``);
    expect(additionalContext).toContain(`project_id \`${projectId}\``);
  });

  it('lists decisions and preferences first, then patterns, learnings and facts', async () => {
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

  it('fills the space with text that needs JSON escapes, and removes terminal control characters', async () => {
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

describe('guildhall hook tool-used', () => {
  const edited = (file_path: string, session_id?: string) =>
    hook('tool-used', { session_id, tool_name: 'Edit', tool_input: { file_path } });

  it('returns lessons near the edited files, once per session', async () => {
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

  it('reads the file names from a patch', async () => {
    const command = '*** Begin Patch\n*** Update File: src/money.ts\n@@\n-a\n+b\n*** End Patch';
    const said = { tool_name: 'apply_patch', tool_input: { command } };
    const { stdout } = await hook('PostToolUse', said, { program: 'codex' });
    expect(stdout).toContain('Round half up.');
  });

  it.each([['src/none.ts'], ['/etc/passwd'], [''], ['../../elsewhere.ts']])(
    'returns nothing for %j',
    async (path) => {
      expect(await edited(path)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    },
  );
});

describe('guildhall hook session-end', () => {
  const conversations = async () =>
    (
      await code.call<{ conversations: { external_id: string; agent_id: string }[] }>(
        'GET',
        '/api/v1/memory/conversations',
      )
    ).body.conversations;
  /** A push that is not finished when the hook exits continues in a detached process. */
  const arrived = () =>
    expect.poll(async () => (await conversations()).map(({ external_id }) => external_id), {
      timeout: 120_000,
    });
  const transcript = join(tmpdir(), `guildhall-transcript-${process.pid}.jsonl`);

  it('pushes a conversation of Claude Code, and only new messages when it continues', async () => {
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

  it('pushes a conversation of Codex after every turn', async () => {
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

  it('pushes as much of a long conversation as the service accepts', async () => {
    const said = `${JSON.stringify({ type: 'user', message: { content: '漢字'.repeat(9000) } })}\n`;
    writeFileSync(transcript, said.repeat(60));
    await hook('session-end', { session_id: 'long', transcript_path: transcript });
    await arrived().toContain('long');
  });

  it('continues a push in the background when it takes longer than the program waits', async () => {
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
    // Makes sure that the hook's connection is closed, so that later requests come from the detached process.
    await fetch(url);
    isProgramWaiting = false;
    for (const answer of waiting) answer();
    await expect.poll(() => taken).toEqual(['slow']);
    slow.close();
  });

  it('keeps the conversation on a machine too busy to read the event in time', async () => {
    writeFileSync(transcript, '{"type":"user","message":{"content":"Remember the bread."}}\n');
    const ended = promisify(execFile)(process.execPath, [PROGRAM, 'hook', 'session-end'], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', ...env, ...IMPATIENT, GUILDHALL_HOOK_SECONDS: '0.001' },
    });
    // Longer than the hook's own time limit.
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
  ])('prints nothing for %j', async (said) => {
    expect(await hook('session-end', said)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });
});

describe('Hooks with a failing service or input', () => {
  let mute: Server;
  let port: number;
  beforeAll(async () => {
    // Accepts every connection and answers none.
    mute = createServer(() => {});
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    port = (mute.address() as { port: number }).port;
  });
  afterAll(() => void mute.close());

  const events = ['session-start', 'tool-used', 'session-end'];
  const transcript = join(tmpdir(), `guildhall-said-${process.pid}.jsonl`);
  writeFileSync(transcript, '{"type":"user","message":{"content":"Remember the milk."}}\n');
  const said = { session_id: 'z', transcript_path: transcript, tool_input: { file_path: 'src/money.ts' } };

  it.each(events)('%s exits with 0 and prints nothing when the service does not answer', async (event) => {
    const env = { GUILDHALL_URL: `http://127.0.0.1:${port}`, ...IMPATIENT };
    const ran = await hook(event, said, { env });
    expect(ran).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it.each(['-1', 'soon', '0'])(
    'session-start still stops in time when GUILDHALL_HOOK_SECONDS is %j',
    async (told) => {
      const env = { GUILDHALL_URL: `http://127.0.0.1:${port}`, GUILDHALL_HOOK_SECONDS: told };
      expect(await hook('session-start', said, { env })).toMatchObject({ code: 0, stdout: '', stderr: '' });
    },
  );

  it.each(events)(
    '%s exits with 0 and prints nothing when the service is down or refuses, or without a sign-in',
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

  it('exits with 0 when stdout is full, and works without a home folder', async () => {
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

  it('exits with 0 for empty or invalid input', async () => {
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

describe('Hook commands that connect writes', () => {
  it("runs in the program's shell, and does nothing where guildhall is not installed", async () => {
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
