import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, PROGRAM, runProgram } from './cli-world.js';

let server: Server;
let asked = 0;
let home: string;
let env: Record<string, string>;

beforeAll(async () => {
  await buildProgram();
  // Accepts every request and answers none.
  server = createServer(() => {
    asked += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  home = mkdtempSync(join(tmpdir(), 'guildhall-input-'));
  env = { HOME: home, XDG_CONFIG_HOME: home, GUILDHALL_URL: url, GUILDHALL_TOKEN: 'guild_pat_x' };
});
afterAll(() => {
  server.close().closeAllConnections();
  rmSync(home, { recursive: true });
});

const start = (args: string[]) =>
  spawn(process.execPath, [PROGRAM, ...args], { env: { PATH: process.env['PATH'] ?? '', ...env } });

describe('Piped input', () => {
  const latin = Buffer.from([0x63, 0x61, 0x66, 0xe9]);

  it('rejects piped input that is not UTF-8 before any request', async () => {
    const commands = [
      ['api', 'POST', '/api/v1/board/boards', '--input', '-'],
      ['memory', 'add', 'Title', '-', '--agent', 'a'],
      ['lessons', 'similar', '-'],
      ['login', '--token', '-'],
    ];
    for (const args of commands) {
      const { code, stderr } = await runProgram(args, { env, stdin: latin });
      expect(code, args.join(' ')).toBe(2);
      expect(stderr).toContain('not UTF-8');
    }
    const file = join(home, 'body.json');
    writeFileSync(file, latin);
    const { stderr } = await runProgram(['api', 'POST', '/api/v1/me', '--input', file], { env });
    expect(stderr).toContain('body.json is not UTF-8');
    expect(asked).toBe(0);
  });

  it('stops waiting for piped input after Ctrl+C', async () => {
    const child = start(['lessons', 'similar', '-']);
    const ended = once(child, 'close');
    // More than a pipe holds, so when it is written, the program has started reading.
    await new Promise((resolve) => child.stdin.write('begun, and never ended'.repeat(200_000), resolve));
    child.kill('SIGINT');
    expect(await ended).toEqual([2, null]);
    expect(asked).toBe(0);
  });
});

describe('A server that does not answer', () => {
  it.each([[['api', 'GET', '/api/v1/me']], [['boards', 'list']], [['whoami']]])(
    'stops waiting for the server after Ctrl+C in %j',
    async (args) => {
      const child = start(args);
      const ended = once(child, 'close');
      await once(server, 'request');
      child.kill('SIGINT');
      expect(await ended).toEqual([2, null]);
    },
  );
});

describe('Damaged configuration', () => {
  it.each([
    ['', 'is not valid JSON'],
    ['{"contexts": ', 'is not valid JSON'],
    ['null', 'contains no contexts'],
    ['[]', 'contains no contexts'],
    ['{"contexts": "none"}', 'contains no contexts'],
    ['{"current": "a", "contexts": {"a": null}}', 'The context a in'],
    ['{"current": "a", "contexts": {"a": {"token": "x"}}}', 'The context a in'],
    ['{"current": "a", "contexts": {"a": {"url": "nowhere", "token": "x"}}}', 'The context a in'],
  ])('reports a damaged configuration with a hint: %s', async (text, words) => {
    const folder = mkdtempSync(join(home, 'config-'));
    mkdirSync(join(folder, 'guildhall'));
    writeFileSync(join(folder, 'guildhall', 'config.json'), text);
    for (const args of [['boards', 'list'], ['context'], ['logout']]) {
      const { code, stderr } = await runProgram(args, { env: { HOME: home, XDG_CONFIG_HOME: folder } });
      expect(code).toBe(1);
      expect(stderr).toContain(words);
      expect(stderr).toContain('guildhall login');
    }
  });

  it.each(['{}', '{"contexts": {}}'])('treats %s as not signed in', async (text) => {
    const folder = mkdtempSync(join(home, 'config-'));
    mkdirSync(join(folder, 'guildhall'));
    writeFileSync(join(folder, 'guildhall', 'config.json'), text);
    const { code } = await runProgram(['boards'], { env: { HOME: home, XDG_CONFIG_HOME: folder } });
    expect(code).toBe(4);
  });
});

it('reports a full disk and exits with 1', async () => {
  const shell = `"${process.execPath}" "${PROGRAM}" --help > /dev/full`;
  const child = spawn('sh', ['-c', shell], { env: { PATH: process.env['PATH'] ?? '', ...env } });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(said).toMatch(/^guildhall: Cannot write the output: ENOSPC.*\n$/);
});
