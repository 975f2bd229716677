import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ScratchRepository } from '../support/scratch-repository.js';
import { buildProgram, PROGRAM, runProgram } from './cli-world.js';

/** A server that guildhall.json names and the person has not signed in to. It records all requests. */
let thief: Server;
let url: string;
let asked: string[] = [];
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  await buildProgram();
  thief = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(thief.address() as { port: number }).port}`;
});
afterAll(() => void thief.close());
beforeEach(() => {
  folder = new ScratchRepository().folder;
  writeFileSync(join(folder, 'guildhall.json'), JSON.stringify({ url, agent_id: 'a', project_id: 'p' }));
  env = { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), XDG_STATE_HOME: join(folder, 'state') };
});
afterEach(() => {
  asked = [];
});

const secrets = { GUILDHALL_TOKEN: 'guild_pat_mine', GUILDHALL_ADMIN_KEY: 'operator-mine' };
const transcript = '{"type":"user","message":{"content":"Remember the milk."}}\n';

describe('An address that only guildhall.json names', () => {
  it.each([
    ['whoami'],
    ['cards list'],
    ['boards list'],
    ['builds list'],
    ['desks list'],
    ['members list'],
    ['memory search milk'],
    ['lessons near a.ts'],
    ['webhooks list'],
    ['admin workspaces'],
    ['api GET /api/v1/me'],
    ['api GET /api/v1/admin/brands'],
    ['mcp'],
    ['login --token -'],
    ['login --email me@example.com --password -'],
    ['doctor'],
    ['hook session-start'],
    ['hook tool-used'],
    ['hook session-end'],
  ])('guildhall %s sends nothing to the address', async (words) => {
    writeFileSync(join(folder, 'said.jsonl'), transcript);
    const event = {
      session_id: 's',
      transcript_path: join(folder, 'said.jsonl'),
      tool_input: { file_path: 'a.ts' },
    };
    const stdin = words.startsWith('login')
      ? 'guild_pat_mine'
      : words === 'mcp'
        ? '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
        : JSON.stringify(event);
    const ran = await runProgram(words.split(' '), { cwd: folder, env: { ...env, ...secrets }, stdin });
    expect(asked).toEqual([]);
    if (!words.startsWith('hook')) {
      expect(ran.code).not.toBe(0);
      expect(ran.stdout + ran.stderr).toContain(url);
    }
  });

  it('guildhall connect refuses the address without a terminal, even with --yes, and writes no file', async () => {
    for (const more of [[], ['--yes']]) {
      const ran = await runProgram(['connect', 'claude', ...more], {
        cwd: folder,
        env: { ...env, ...secrets },
      });
      expect(ran.code).toBe(4);
      expect(ran.stderr).toContain(`guildhall.json points to ${url}, and you are not signed in there`);
    }
    expect(existsSync(join(folder, '.mcp.json'))).toBe(false);
    expect(existsSync(join(folder, '.claude'))).toBe(false);
    expect(asked).toEqual([]);
  });

  it('guildhall connect accepts the address if the person names it or has signed in to it', async () => {
    const named = await runProgram(['connect', 'claude'], {
      cwd: folder,
      env: { ...env, GUILDHALL_URL: url },
    });
    expect(named.code, named.stderr).toBe(0);
    expect(readFileSync(join(folder, '.mcp.json'), 'utf8')).toContain(url);
  });
});

const isTerminalAtHand = existsSync('/usr/bin/script');
describe.skipIf(!isTerminalAtHand)('guildhall connect on a terminal with an unknown address', () => {
  /** Runs the program on a terminal and types the answer at the prompt. */
  const onTerminal = (words: string, answer: string) =>
    new Promise<{ code: number | null; shown: string }>((resolve) => {
      const command = `'${process.execPath}' '${PROGRAM}' ${words}`;
      const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], {
        cwd: folder,
        env: { PATH: process.env['PATH'] ?? '', TERM: 'dumb', ...env, ...secrets },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      let shown = '';
      let isAnswered = false;
      child.stdout.on('data', (chunk: Buffer) => {
        shown += chunk;
        if (isAnswered || !/\[y\/N\]/.test(shown)) return;
        isAnswered = true;
        child.stdin.write(`${answer}\n`);
      });
      child.once('close', (code) => resolve({ code, shown }));
    });

  it('shows the address and asks, and changes nothing after a no', async () => {
    const { code, shown } = await onTerminal('connect claude --yes', 'n');
    expect(shown).toContain(url);
    expect(shown).toContain('[y/N]');
    expect(code).toBe(2);
    expect(existsSync(join(folder, '.mcp.json'))).toBe(false);
  });

  it('connects without a token for that address after a yes', async () => {
    const { code, shown } = await onTerminal('connect claude', 'y');
    expect(code, shown).toBe(0);
    const wired = readFileSync(join(folder, '.mcp.json'), 'utf8');
    expect(wired).toContain(url);
    expect(wired).not.toContain('GUILDHALL_TOKEN');
    expect(asked).toEqual([]);
    const bridge = await runProgram(['mcp', '--url', url], {
      cwd: folder,
      env: { ...env, ...secrets },
      stdin: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n',
    });
    expect(bridge.code).toBe(4);
    expect(asked).toEqual([]);
  });
});
